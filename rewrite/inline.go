package rewrite

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/markgen/markgen/rewrite/gc"
)

// inliner tells how much the compiler's inliner charges at least for the functions of a
// unit (hairyVisitor in cmd/compile/internal/inline/inl.go): a point for a node
// of its tree, and for a call of what is not inlined gc.CallCost. It has no types, and
// no trees of other packages: a call of what it does not know costs nothing, as it may be a conversion or
// a function that is inlined and hardly more than that.
type inliner struct {
	functions map[string]*function        // by name, methods by T.name
	types     map[string]ast.Expr         // declared in the unit
	aliases   map[string]string           // of these, the base types that others are names of
	fields    map[string][]string         // the base types of the fields of its structs, by name
	called    map[*ast.CallExpr]*function // the literals that calls are known to be of
	begun     []*function                 // whose estimates are being made, each called by the one before
}

// never is the cost of what is never inlined.
const never = 1 << 20

// estimate sets the cost of every function of the unit.
func (u *Unit) estimate() {
	in := &inliner{functions: map[string]*function{}, types: map[string]ast.Expr{}, aliases: map[string]string{}, fields: map[string][]string{}, called: map[*ast.CallExpr]*function{}}
	u.typeSpecs(func(s *ast.TypeSpec) {
		in.types[s.Name.Name] = s.Type
		if s.Assign.IsValid() {
			in.aliases[s.Name.Name] = baseType(s.Type)
		}
	})
	u.structFields(func(name, base string) { in.fields[name] = append(in.fields[name], base) })
	for _, f := range u.files {
		for _, fn := range f.functions {
			if fn.decl != nil {
				in.functions[MethodKey(fn.decl)] = fn
			}
		}
	}
	in.findLiterals(u)
	for _, f := range u.files {
		for _, fn := range f.functions {
			in.estimate(fn)
		}
	}
}

// MethodKey is T.name for a method of T or *T, else the name: what tells the functions of a package apart.
func MethodKey(d *ast.FuncDecl) string {
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
const mostCost = 2 * gc.InlineBudget

// estimate sets cost, and quick: the function has no loops and calls nothing but
// functions like it. While one is being estimated, a call of it is one that is
// not inlined.
func (in *inliner) estimate(fn *function) {
	if fn.cost != 0 {
		return
	}
	fn.cost, fn.estimated = never, in
	fn.given, fn.returned = in.givenTo(fn), in.returnedBy(fn)
	budget, most := gc.InlineBudget, mostCost
	if fn.lit != nil {
		budget, most = gc.OnceBudget, 2*gc.OnceBudget
	}
	if fn.size > 40*budget || fn.noinline {
		return
	}
	in.begun = append(in.begun, fn)
	defer func() { in.begun = in.begun[:len(in.begun)-1] }()
	cost, quick := 0, fn.loops == 0
	vars := fn.declaredTypes()
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		if cost > most {
			return false
		}
		switch n := n.(type) {
		case nil, *ast.ParenExpr, *ast.BlockStmt, *ast.ExprStmt, *ast.Comment, *ast.CommentGroup, *ast.FieldList:
			return true
		case *ast.DeferStmt, *ast.GoStmt:
			cost = never
		case *ast.FuncLit:
			cost += literalCost
			quick = false
			ast.Inspect(n.Body, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && in.callsItself(fn, call, vars) {
					fn.recursive = true
				}
				return !fn.recursive
			})
			return false
		case *ast.RangeStmt:
			if fn.rangesGiven(n) {
				cost += rangeFuncCost
				quick = false
				return false
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				quick = false
			}
		case *ast.SendStmt, *ast.SelectStmt:
			quick = false
		case *ast.CommClause:
			if a, ok := n.Comm.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
				cost += receivedCost * len(a.Lhs)
			}
		case *ast.SelectorExpr:
			cost++
			if x, ok := n.X.(*ast.Ident); !ok || !fn.file.imports(x.Name) {
				ast.Inspect(n.X, visit)
			}
			return false
		case *ast.CallExpr:
			fn.recursive = fn.recursive || in.callsItself(fn, n, vars)
			called, quickly := in.call(fn, n, vars)
			quick = quick && quickly
			cost += called
			if name, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && name.Name == "make" {
				for _, x := range n.Args[1:] { // the type costs nothing
					ast.Inspect(x, visit)
				}
				return false
			}
		}
		cost++
		return true
	}
	ast.Inspect(fn.body, visit)
	fn.cost, fn.quick = max(cost, 1), quick && cost <= mostCost
}

// call is what a call costs at least beyond its nodes, and whether it is quick. Conversions
// and most predeclared functions are free.
func (in *inliner) call(fn *function, call *ast.CallExpr, vars map[string]string) (cost int, quick bool) {
	if lit := in.called[call]; lit != nil {
		return in.callLiteral(lit), false
	}
	key := ""
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		switch {
		case f.Name == "recover":
			return never, false
		case scalarNames[f.Name] || builtins[f.Name] || f.Name == "string" || in.types[f.Name] != nil:
			return 0, true
		}
		if _, local := vars[f.Name]; local {
			return gc.CallCost / 3, false // inlineParamCallCost
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
		return 0, false
	}
	callee.recursive = callee.recursive || slices.Contains(in.begun, callee)
	in.estimate(callee)
	if callee.cost > gc.InlineBudget {
		return gc.CallCost, false
	}
	return callee.cost, callee.quick
}

// callsItself says whether a call in fn may be one of fn, as far as names tell: a method of that name of what is not
// known to be of another type may be it.
func (in *inliner) callsItself(fn *function, call *ast.CallExpr, vars map[string]string) bool {
	if fn.decl == nil {
		return false
	}
	f := ast.Unparen(call.Fun)
	method, ok := f.(*ast.SelectorExpr)
	switch {
	case fn.decl.Recv == nil:
		return baseType(f) == fn.decl.Name.Name
	case !ok || method.Sel.Name != fn.decl.Name.Name:
		return false
	}
	var types []string
	switch x := ast.Unparen(method.X).(type) {
	case *ast.Ident:
		if typ, known := vars[x.Name]; known {
			types = []string{typ}
		} else if fn.file.imports(x.Name) {
			return false
		} else if typ, known := fn.localType(x.Name); known {
			types = []string{typ}
		}
	case *ast.SelectorExpr:
		types = in.fields[x.Sel.Name]
	case *ast.CallExpr:
		if typ, is := in.converts(fn, x, vars); is {
			types = []string{typ}
		}
	}
	own := in.aliased(baseType(fn.decl.Recv.List[0].Type))
	return types == nil || slices.ContainsFunc(types, func(typ string) bool { return in.aliased(typ) == own })
}

// aliased is the base type that a name is one of.
func (in *inliner) aliased(typ string) string {
	for range in.aliases { // no chain is longer
		if of, is := in.aliases[typ]; is {
			typ = of
		}
	}
	return typ
}

// converts says whether a call in fn is a conversion to a type of the unit, whose base type it names, or of another package: "". A call of
// what another package exports, with one value, is taken for one, unless the package's functions return what they get.
func (in *inliner) converts(fn *function, call *ast.CallExpr, vars map[string]string) (typ string, is bool) {
	if len(call.Args) != 1 {
		return "", false
	}
	to := ast.Unparen(call.Fun)
	if star, ok := to.(*ast.StarExpr); ok {
		to = ast.Unparen(star.X)
	}
	if of, ok := to.(*ast.SelectorExpr); ok {
		x, ok := of.X.(*ast.Ident)
		if !ok {
			return "", false
		}
		_, local := vars[x.Name]
		path := fn.file.imported(x.Name)
		return "", !local && path != "" && ast.IsExported(of.Sel.Name) && !returning[path[strings.LastIndexByte(path, '/')+1:]]
	}
	typ = baseType(to)
	if _, local := vars[typ]; local || in.types[typ] == nil {
		return "", false
	}
	for name := range declarations(fn.body, true) {
		if name == typ {
			return "", false
		}
	}
	return typ, true
}

// returning are the packages, by the ends of their paths, whose functions mostly return what they get, or its like.
var returning = set("cmp", "maps", "slices")

// givenTo are the parameters of fn that it can call, by name.
func (in *inliner) givenTo(fn *function) (given map[string]bool) {
	for _, field := range fn.typ.Params.List {
		if !in.callable(field.Type) && !in.givenMethods(field.Type) {
			continue
		}
		for _, name := range field.Names {
			if given == nil {
				given = map[string]bool{}
			}
			given[name.Name] = true
		}
	}
	return given
}

// returnedBy is the type of what fn returns if that is one value that can be called,
// see written, and "" if it is none.
func (in *inliner) returnedBy(fn *function) string {
	list := fn.typ.Results
	if list.NumFields() != 1 || !in.callable(list.List[0].Type) {
		return ""
	}
	return fn.written(list.List[0].Type)
}

// callable says whether a type is that of functions or, as far as syntax shows, of
// interfaces: written so, iter's, or one that the unit declares so.
func (in *inliner) callable(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.FuncType, *ast.InterfaceType:
		return true
	case *ast.IndexExpr:
		return in.callable(t.X)
	case *ast.IndexListExpr:
		return in.callable(t.X)
	case *ast.SelectorExpr:
		x, ok := t.X.(*ast.Ident)
		return ok && x.Name == "iter" && (t.Sel.Name == "Seq" || t.Sel.Name == "Seq2")
	case *ast.Ident:
		_, function := in.types[t.Name].(*ast.FuncType)
		return function
	}
	return false
}

// interfaces are those of other packages that are most often given to functions which call their methods, by package.
var interfaces = map[string]map[string]bool{
	"context": set("Context"),
	"fmt":     set("Formatter", "GoStringer", "State", "Stringer"),
	"hash":    set("Hash", "Hash32", "Hash64"),
	"heap":    set("Interface"),
	"io": set("ByteReader", "ByteScanner", "ByteWriter", "Closer", "ReadCloser", "ReadSeeker", "ReadWriter", "Reader", "ReaderAt", "ReaderFrom",
		"RuneReader", "RuneScanner", "Seeker", "StringWriter", "WriteCloser", "WriteSeeker", "Writer", "WriterAt", "WriterTo"),
	"sort": set("Interface"),
}

// givenMethods says whether a type is surely one of interfaces, whose methods fn may call where it gets a value of it.
func (in *inliner) givenMethods(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.SelectorExpr:
		x, ok := t.X.(*ast.Ident)
		return ok && interfaces[x.Name][t.Sel.Name]
	case *ast.Ident:
		_, is := in.types[t.Name].(*ast.InterfaceType)
		return is || t.Name == "error"
	}
	return false
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

// localType is the base type of a variable that is declared once in the body, with a type that is written there: a parameter of a literal, or what a
// value is asserted to be.
func (fn *function) localType(name string) (typ string, known bool) {
	declared := 0
	for d := range declarations(fn.body, true) {
		if d == name {
			declared++
		}
	}
	if declared != 1 {
		return "", false
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			for _, field := range n.Type.Params.List {
				for _, p := range field.Names {
					if p.Name == name {
						typ, known = baseType(field.Type), true
					}
				}
			}
		case *ast.AssignStmt:
			x, ok := n.Lhs[0].(*ast.Ident)
			if !ok || x.Name != name || n.Tok != token.DEFINE || len(n.Rhs) != 1 {
				break
			}
			if as, ok := ast.Unparen(n.Rhs[0]).(*ast.TypeAssertExpr); ok && as.Type != nil {
				typ, known = baseType(as.Type), true
			}
		}
		return !known
	})
	return typ, known
}

// structFields visits the fields of the unit's struct types, with the base types of theirs.
func (u *Unit) structFields(visit func(name, base string)) {
	u.typeSpecs(func(s *ast.TypeSpec) {
		t, ok := s.Type.(*ast.StructType)
		if !ok {
			return
		}
		for _, field := range t.Fields.List {
			base := baseType(field.Type)
			for _, name := range field.Names {
				visit(name.Name, base)
			}
			if field.Names == nil { // embedded
				if s, ok := field.Type.(*ast.SelectorExpr); ok {
					visit(s.Sel.Name, "")
				} else {
					visit(base, base)
				}
			}
		}
	})
}

// typeSpecs visits the types that the unit declares outside of functions.
func (u *Unit) typeSpecs(visit func(*ast.TypeSpec)) {
	for _, f := range u.files {
		for _, d := range f.ast.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, s := range g.Specs {
					visit(s.(*ast.TypeSpec))
				}
			}
		}
	}
}

// imports says whether a name is that of a package in the file, as far as its
// path shows.
func (f *file) imports(name string) bool { return f.imported(name) != "" }

// imported is the path of the package that has a name in the file, as far as paths show, or "".
func (f *file) imported(name string) string {
	for _, spec := range f.ast.Imports {
		path := spec.Path.Value[1 : len(spec.Path.Value)-1]
		switch {
		case spec.Name != nil:
			if spec.Name.Name == name {
				return path
			}
		case path[strings.LastIndexByte(path, '/')+1:] == name:
			return path
		}
	}
	return ""
}
