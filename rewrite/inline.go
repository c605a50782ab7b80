package rewrite

import (
	"go/ast"
	"go/token"
)

// inliner estimates what the compiler's inliner charges for the functions of a
// unit (hairyVisitor in cmd/compile/internal/inline/inl.go): a point for a node
// of its tree, and for a call of what is not inlined callCost. It has no types, and
// no trees of other packages: what it does not know it takes for half a call.
type inliner struct {
	functions map[string]*function // by name, methods by T.name
	types     map[string]bool      // declared in the unit
}

// never is the cost of what is never inlined.
const never = 1 << 20

// estimate sets the cost of every function of the unit.
func (u *Unit) estimate() {
	in := &inliner{functions: map[string]*function{}, types: map[string]bool{}}
	u.typeSpecs(func(s *ast.TypeSpec) { in.types[s.Name.Name] = true })
	for _, f := range u.files {
		for _, fn := range f.functions {
			if fn.decl != nil {
				in.functions[methodKey(fn.decl)] = fn
			}
		}
	}
	for _, f := range u.files {
		for _, fn := range f.functions {
			in.estimate(fn)
		}
	}
	u.findIndirect()
}

// methodKey is T.name for a method of T or *T, else the name.
func methodKey(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	return baseType(d.Recv.List[0].Type) + "." + d.Name.Name
}

// baseType is the name of a type of the package, of what a pointer points to, or
// "".
func baseType(t ast.Expr) string {
	for {
		switch x := t.(type) {
		case *ast.ParenExpr:
			t = x.X
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// mostCost is a cost that is too much for whatever depends on it; beyond it none is told from another.
const mostCost = 2 * inlineBudget

// estimate sets cost, and quick: the function has no loops and calls nothing but
// functions like it. While one is being estimated, a call of it is one that is
// not inlined.
func (in *inliner) estimate(fn *function) {
	if fn.cost != 0 {
		return
	}
	fn.cost = never
	if fn.size > 40*inlineBudget || fn.noinline {
		return
	}
	cost, quick, leaf := 0, fn.loops == 0, true
	vars := fn.declaredTypes()
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		if cost > mostCost {
			return false
		}
		switch n := n.(type) {
		case nil, *ast.ParenExpr, *ast.BlockStmt, *ast.ExprStmt, *ast.Comment, *ast.CommentGroup, *ast.FieldList:
			return true
		case *ast.DeferStmt, *ast.GoStmt, *ast.SelectStmt:
			cost = never
		case *ast.FuncLit:
			cost += literalCost
			quick, leaf = false, false
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				quick, leaf = false, false
			}
		case *ast.SendStmt:
			quick, leaf = false, false
		case *ast.SelectorExpr:
			cost++
			if x, ok := n.X.(*ast.Ident); !ok || !fn.file.imports(x.Name) {
				ast.Inspect(n.X, visit)
			}
			return false
		case *ast.CallExpr:
			called, quickly := in.call(fn, n, vars)
			quick = quick && quickly
			leaf = leaf && called == 0
			cost += called
		}
		cost++
		return true
	}
	ast.Inspect(fn.body, visit)
	fn.cost, fn.quick, fn.leaf = max(cost, 1), quick && cost <= mostCost, leaf
}

// call is what a call costs beyond its nodes, and whether it is quick. Conversions
// and most predeclared functions are free.
func (in *inliner) call(fn *function, call *ast.CallExpr, vars map[string]string) (cost int, quick bool) {
	key := ""
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		switch {
		case f.Name == "recover":
			return never, false
		case f.Name == "append":
			return 0, true
		case scalarNames[f.Name] || builtins[f.Name] || f.Name == "string" || in.types[f.Name]:
			return 0, true
		}
		if _, local := vars[f.Name]; local {
			return callCost / 3, false // inlineParamCallCost
		}
		key = f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && vars[x.Name] != "" {
			key = vars[x.Name] + "." + f.Sel.Name
		}
	case *ast.IndexExpr:
		key = baseType(f)
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.StarExpr:
		return 0, true
	}
	callee := in.functions[key]
	if callee == nil {
		return callCost / 2, false
	}
	in.estimate(callee)
	if callee.cost > inlineBudget {
		return callCost, false
	}
	return callee.cost, callee.quick
}

// declaredTypes are the base types of the receiver and the parameters, by name.
func (fn *function) declaredTypes() map[string]string {
	vars := map[string]string{}
	add := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				vars[name.Name] = baseType(field.Type)
			}
		}
	}
	if fn.decl != nil {
		add(fn.decl.Recv)
	}
	add(fn.typ.Params)
	return vars
}

// imports says whether a name is that of a package in the file, as far as its
// path shows.
func (f *file) imports(name string) bool {
	for _, spec := range f.ast.Imports {
		if spec.Name != nil {
			if spec.Name.Name == name {
				return true
			}
			continue
		}
		path := spec.Path.Value[1 : len(spec.Path.Value)-1]
		for i := len(path); i >= 0; i-- {
			if i == 0 || path[i-1] == '/' {
				if path[i:] == name {
					return true
				}
				break
			}
		}
	}
	return false
}
