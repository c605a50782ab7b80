package rewrite

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/markgen/markgen/rewrite/gc"
)

// An inliner estimates a lower bound of what the compiler's inliner charges for the functions of
// a unit (hairyVisitor in cmd/compile/internal/inline/inl.go): 1 for each syntax node, and
// gc.CallCost for each call that is not inlined. It works without types and without the source of
// other packages: an unknown call costs nothing, since it may be a conversion or an inlined
// function that is about as cheap.
type inliner struct {
	functions map[string]*function        // by name, methods by T.name
	types     map[string]ast.Expr         // declared in the unit
	aliases   map[string]string           // base types of the aliases among them
	fields    map[string][]string         // base types of struct fields, by field name
	called    map[*ast.CallExpr]*function // calls whose callee is a known literal
	begun     []*function                 // stack of functions being estimated, each called by the previous one
}

// never is the cost of a function that is never inlined.
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

// MethodKey returns a key that is unique in a package: T.name for a method of T or *T, the name for
// a function.
func MethodKey(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	return baseType(d.Recv.List[0].Type) + "." + d.Name.Name
}

// baseType returns the name of a type of the package, without pointers and type arguments, or "".
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

// mostCost is the highest limit with which costs of declared functions are compared. estimate stops
// beyond it.
const mostCost = 2 * gc.InlineBudget

// estimate sets fn.cost and fn.quick: the function has no loops and calls only quick functions.
// A call of a function that is still being estimated counts as not inlined.
func (in *inliner) estimate(fn *function) {
	if fn.cost != 0 {
		return
	}
	fn.cost, fn.likely = never, never
	fn.given = in.givenTo(fn)
	fn.returnsFunc = fn.typ.Results.NumFields() == 1 && in.callable(fn.typ.Results.List[0].Type)
	budget, most := gc.InlineBudget, mostCost
	if fn.lit != nil {
		budget, most = gc.OnceBudget, 2*gc.OnceBudget
	}
	if fn.size > 40*budget || fn.noinline {
		return
	}
	in.begun = append(in.begun, fn)
	defer func() { in.begun = in.begun[:len(in.begun)-1] }()
	cost, unknown, quick := 0, 0, fn.loops == 0
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
			called, quickly, known := in.call(fn, n, vars)
			quick = quick && quickly
			cost += called
			if !known {
				unknown++
			}
			if name, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && name.Name == "make" {
				for _, x := range n.Args[1:] { // the type argument is free
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
	fn.likely = fn.cost + unknown*gc.CallCost/2
}

// call returns a lower bound of a call's cost beyond its nodes, and whether the callee is quick, and
// known. Conversions and most predeclared functions are free.
func (in *inliner) call(fn *function, call *ast.CallExpr, vars map[string]string) (cost int, quick, known bool) {
	if lit := in.called[call]; lit != nil {
		return in.callLiteral(lit), false, true
	}
	key := ""
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		switch {
		case f.Name == "recover":
			return never, false, true
		case scalarNames[f.Name] || builtins[f.Name] || f.Name == "string" || in.types[f.Name] != nil:
			return 0, true, true
		}
		if _, local := vars[f.Name]; local {
			return gc.CallCost / 3, false, true // inlineParamCallCost
		}
		key = f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && vars[x.Name] != "" {
			key = vars[x.Name] + "." + f.Sel.Name
		}
	case *ast.IndexExpr:
		key = baseType(f)
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.StarExpr:
		return 0, true, true
	}
	callee := in.functions[key]
	if callee == nil {
		return 0, false, false
	}
	callee.recursive = callee.recursive || slices.Contains(in.begun, callee)
	in.estimate(callee)
	if callee.cost > gc.InlineBudget {
		return gc.CallCost, false, true
	}
	return callee.cost, callee.quick, true
}

// callsItself reports whether a call in fn may call fn, judging by names: a call of a method of the
// same name may, unless the receiver is known to have another type.
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

// aliased returns the base type that an alias stands for, or typ if it is no alias.
func (in *inliner) aliased(typ string) string {
	for range in.aliases { // no chain is longer
		if of, is := in.aliases[typ]; is {
			typ = of
		}
	}
	return typ
}

// converts reports whether a call in fn is a conversion. typ is the base type if that is declared
// in the unit, "" if it is of another package. A call of another package's exported name with one
// argument counts as a conversion, unless the package is one of returning.
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

// returning lists packages, by last path element, whose functions mostly return a value of an
// argument's type.
var returning = set("cmp", "maps", "slices")

// givenTo returns the names of fn's parameters that it can call, or call methods of.
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

// callable reports whether a type is, as far as syntax shows, a function or interface type: a type
// literal, iter.Seq or iter.Seq2, or a function type that the unit declares.
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

// interfaces lists, by package, interfaces that functions often take in order to call their
// methods.
var interfaces = map[string]map[string]bool{
	"context": set("Context"),
	"fmt":     set("Formatter", "GoStringer", "State", "Stringer"),
	"hash":    set("Hash", "Hash32", "Hash64"),
	"heap":    set("Interface"),
	"io": set("ByteReader", "ByteScanner", "ByteWriter", "Closer", "ReadCloser", "ReadSeeker", "ReadWriter", "Reader", "ReaderAt", "ReaderFrom",
		"RuneReader", "RuneScanner", "Seeker", "StringWriter", "WriteCloser", "WriteSeeker", "Writer", "WriterAt", "WriterTo"),
	"sort": set("Interface"),
}

// givenMethods reports whether a type is known to be an interface with methods: one of interfaces,
// one that the unit declares, or error.
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

// declaredTypes returns the base types of the receiver and the parameters, by name.
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

// localType returns the base type of a variable that is declared exactly once in the body, if the
// source shows it: a parameter of a literal, or the result of a type assertion.
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

// structFields calls visit for each field of the unit's struct types, with the base type of the
// field.
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

// typeSpecs calls visit for each type that the unit declares at package level.
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

// imports reports whether the file imports a package by this name, as far as paths show.
func (f *file) imports(name string) bool { return f.imported(name) != "" }

// imported returns the path of the package that the file imports by this name, as far as paths
// show, or "".
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
