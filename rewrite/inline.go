package rewrite

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/markgen/markgen/rewrite/gc"
)

// An inliner counts the nodes of the functions of a unit: a lower bound of what the compiler's
// inliner charges for them (hairyVisitor in cmd/compile/internal/inline/inl.go), except where that
// drops code behind a constant condition or replaces a call by an instruction. A call of a function
// of the unit also costs that function's nodes, at most gc.CallCost. Any other call costs nothing
// beyond its nodes, since it may be a conversion or an inlined function that is about as cheap.
type inliner struct {
	functions map[string]*function // by name, methods by T.name
	types     map[string]ast.Expr  // declared in the unit
	aliases   map[string]bool      // those of them that are aliases
	fields    map[string][]string  // base types of the fields of the unit's structs, by field name
	begun     []*function          // stack of functions being counted, each called by the previous one
}

const (
	// never is the number of nodes of a function that is never inlined.
	never = 1 << 20

	// literalCost is the inliner's cost of a function literal in a function.
	literalCost = 15
)

// countNodes sets the properties of the unit's functions that depend on their nodes.
func (u *Unit) countNodes() {
	in := &inliner{functions: map[string]*function{}, types: map[string]ast.Expr{}, aliases: map[string]bool{}, fields: map[string][]string{}}
	u.typeSpecs(in.declare)
	for _, f := range u.files {
		for _, fn := range f.functions {
			if fn.decl != nil {
				in.functions[MethodKey(fn.decl)] = fn
			}
		}
	}
	for _, f := range u.files {
		for _, fn := range f.functions {
			in.count(fn)
		}
	}
}

// declare adds a type of the unit.
func (in *inliner) declare(s *ast.TypeSpec) {
	in.types[s.Name.Name], in.aliases[s.Name.Name] = s.Type, s.Assign.IsValid()
	t, ok := s.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range t.Fields.List {
		base := baseType(field.Type)
		for _, name := range field.Names {
			in.fields[name.Name] = append(in.fields[name.Name], base)
		}
		if field.Names == nil { // embedded
			name := lastName(field.Type)
			if star, ok := field.Type.(*ast.StarExpr); ok {
				name = lastName(star.X)
			}
			in.fields[name] = append(in.fields[name], base)
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

// count sets nodes, likely, quick, recursive, intoItself, callableParams and returnsFunc of a function. It
// descends into functions that it calls by name, or through its receiver, and that may be inlined.
func (in *inliner) count(fn *function) {
	if fn.nodes != 0 {
		return
	}
	fn.nodes, fn.likely = never, never
	fn.callableParams = variablesOf(in.isCallable, fn.typ.Params)
	fn.returnsFunc = fn.typ.Results.NumFields() == 1 && in.isFunc(fn.typ.Results.List[0].Type)
	if int(fn.body.Rbrace-fn.body.Lbrace) > 40*fn.inlineBudget() || fn.noinline {
		return
	}
	in.begun = append(in.begun, fn)
	defer func() { in.begun = in.begun[:len(in.begun)-1] }()
	nodes, calls, self, quick := 0, 0, 0, fn.loops == 0
	waits := false // it has a select, with which the compiler inlines nothing (hairyVisitor.doNode)
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.ParenExpr, *ast.BlockStmt, *ast.ExprStmt, *ast.Comment, *ast.CommentGroup, *ast.FieldList:
			return true
		case *ast.DeferStmt, *ast.GoStmt:
			nodes = never
		case *ast.FuncLit:
			nodes, quick = nodes+literalCost, false
			ast.Inspect(n.Body, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && in.callsItself(fn, call) {
					self++
				}
				return true
			})
			return false
		case *ast.UnaryExpr:
			quick = quick && n.Op != token.ARROW
		case *ast.RangeStmt:
			if fn.ranges(n) {
				nodes, quick = nodes+literalCost, false
				return false
			}
		case *ast.SelectStmt:
			waits, quick = true, false
		case *ast.SendStmt:
			quick = false
		case *ast.SelectorExpr:
			nodes++
			if x, ok := n.X.(*ast.Ident); !ok || !fn.file.imports(x.Name) {
				ast.Inspect(n.X, visit)
			}
			return false
		case *ast.CallExpr:
			if in.callsItself(fn, n) {
				self++
			}
			callee, isQuick := in.callee(fn, n)
			quick = quick && isQuick
			if callee != nil {
				nodes += min(callee.nodes, gc.CallCost)
			} else if !isQuick {
				calls++
			}
			if name, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && (name.Name == "make" || name.Name == "new") {
				nodes++
				for _, x := range n.Args[1:] { // the type argument is free
					ast.Inspect(x, visit)
				}
				return false
			}
		}
		nodes++
		return true
	}
	ast.Inspect(fn.body, visit)
	fn.nodes, fn.quick = max(nodes, 1), quick && nodes <= 2*gc.InlineBudget
	fn.likely = fn.nodes + calls*gc.CallCost/2
	fn.recursive = fn.recursive || self > 0
	fn.intoItself = fn.recursive && nodes+gc.CallCost*max(self, 1) <= fn.inlineBudget() && !waits
}

// inlineBudget returns the maximum number of nodes of a function that may be inlined. It is above
// the compiler's budget since the syntax tree has some nodes that the compiler's does not, and a
// function that is not inlined loses little in formOpen.
func (fn *function) inlineBudget() int {
	if fn.lit != nil {
		return gc.OnceBudget + gc.OnceBudget/8
	}
	return gc.InlineBudget + gc.InlineBudget/8
}

// callee returns the function of the unit that is called, or nil if it is not known, and reports
// whether the call returns before a clock can be read: a conversion, or a call of a predeclared
// function or a quick one of the unit. If the function is being counted, it calls itself through
// others.
func (in *inliner) callee(fn *function, call *ast.CallExpr) (callee *function, quick bool) {
	key := ""
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident, *ast.IndexExpr:
		key = baseType(f)
		if scalarNames[key] || builtins[key] || key == "string" || in.types[key] != nil {
			return nil, true
		}
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && x.Name != "" && x.Name == fn.receiver() {
			key = baseType(fn.decl.Recv.List[0].Type) + "." + f.Sel.Name
		}
	default:
		return nil, isType(f)
	}
	callee = in.functions[key]
	switch {
	case callee == nil || fn.parameters()[key]:
		return nil, false
	case slices.Contains(in.begun, callee):
		callee.recursive = true
		return nil, false
	}
	in.count(callee)
	return callee, callee.quick
}

// callsItself reports whether a call in fn may call fn: a call of its name or, for a method, of a
// method of its name, unless the operand is a package, or a parameter or field of another type.
func (in *inliner) callsItself(fn *function, call *ast.CallExpr) bool {
	if fn.decl == nil {
		return false
	}
	f := ast.Unparen(call.Fun)
	if fn.decl.Recv == nil {
		return baseType(f) == fn.decl.Name.Name && !fn.parameters()[fn.decl.Name.Name]
	}
	method, ok := f.(*ast.SelectorExpr)
	if !ok || method.Sel.Name != fn.decl.Name.Name {
		return false
	}
	own := baseType(fn.decl.Recv.List[0].Type)
	may := func(typ string) bool { return typ == own || in.aliases[typ] }
	switch x := ast.Unparen(method.X).(type) {
	case *ast.Ident:
		if typ, is := fn.variableTypes()[x.Name]; is {
			return may(typ)
		}
		return !fn.file.imports(x.Name)
	case *ast.SelectorExpr:
		types := in.fields[x.Sel.Name]
		return types == nil || slices.ContainsFunc(types, may)
	case *ast.CallExpr: // a conversion, perhaps
		to := ast.Unparen(x.Fun)
		if star, ok := to.(*ast.StarExpr); ok {
			to = ast.Unparen(star.X)
		}
		if of, ok := to.(*ast.SelectorExpr); ok {
			pkg, ok := of.X.(*ast.Ident)
			return !ok || len(x.Args) != 1 || !fn.file.imports(pkg.Name)
		}
		return in.types[baseType(to)] == nil || may(baseType(to))
	}
	return true
}

// variableTypes returns the base types of the receiver, the parameters and the variables that are
// declared with a type, by name.
func (fn *function) variableTypes() map[string]string {
	types := map[string]string{}
	for _, list := range []*ast.FieldList{fn.receivers(), fn.typ.Params} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				types[name.Name] = baseType(field.Type)
			}
		}
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Type != nil {
			for _, name := range spec.Names {
				types[name.Name] = baseType(spec.Type)
			}
		}
		return true
	})
	return types
}

// receiver returns the name of the receiver, or "".
func (fn *function) receiver() string {
	for name := range variablesIn(fn.receivers()) {
		return name
	}
	return ""
}

// isCallable reports whether a type may be a function or interface. Of the types of other packages
// it takes all.
func (in *inliner) isCallable(t ast.Expr) bool {
	switch t := ast.Unparen(t).(type) {
	case *ast.InterfaceType, *ast.SelectorExpr:
		return true
	case *ast.Ident:
		if _, is := in.types[t.Name].(*ast.InterfaceType); is || t.Name == "error" {
			return true
		}
	}
	return in.isFunc(t)
}

// isFunc reports whether a type is, as far as syntax shows, a function type: a type literal, one of
// package iter, or one that the unit declares.
func (in *inliner) isFunc(t ast.Expr) bool {
	switch t := ast.Unparen(t).(type) {
	case *ast.FuncType:
		return true
	case *ast.IndexExpr:
		return in.isFunc(t.X)
	case *ast.IndexListExpr:
		return in.isFunc(t.X)
	case *ast.SelectorExpr:
		x, ok := t.X.(*ast.Ident)
		return ok && x.Name == "iter"
	case *ast.Ident:
		_, is := in.types[t.Name].(*ast.FuncType)
		return is
	}
	return false
}

// ranges reports whether a loop ranges over a parameter that may be a function, so that the loop
// body becomes a function literal.
func (fn *function) ranges(s *ast.RangeStmt) bool {
	name, ok := ast.Unparen(s.X).(*ast.Ident)
	return ok && fn.callableParams[name.Name]
}

// small reports whether the function must stay inlinable if the compiler inlines it. A function
// with a loop must only if it may allocate and, with its calls, is likely to be inlined: what it makes
// can be on its caller's stack then,
//
//	func newT(n int) *T { for … ; return &T{n} }
//
//	newT(1).use() // inlined: no allocation; not inlined: one
//
// while otherwise a test in each iteration costs more than the call that inlining saves. The nodes
// of a function literal add to those of the function around it.
func (fn *function) small() bool {
	return fn.inline && !fn.recursive && fn.mayBeInlined() &&
		(fn.loops == 0 || fn.likely <= fn.inlineBudget() && fn.mayAllocate() ||
			fn.lit != nil && fn.outer.body != nil && fn.outer.mayBeInlined())
}

// mayBeInlined reports whether the compiler may inline the function, judging by its nodes.
func (fn *function) mayBeInlined() bool { return fn.nodes <= fn.inlineBudget() }

// mayAllocate reports whether something may be on the heap only if the function is not inlined: a
// result that is not a number or boolean; what is passed to a parameter that is called; the result
// of make, whose size is constant in the caller; in a function literal, anything that it makes.
func (fn *function) mayAllocate() bool {
	if fn.results() {
		for _, field := range fn.typ.Results.List {
			if name, ok := field.Type.(*ast.Ident); !ok || !scalarNames[name.Name] {
				return true
			}
		}
	}
	return len(fn.callableParams) > 0 || fn.lit != nil && fn.makes() || fn.contains(func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return false
		}
		name, ok := ast.Unparen(call.Fun).(*ast.Ident)
		return ok && name.Name == "make" || fn.lit != nil && (!ok || !builtins[name.Name] && !scalarNames[name.Name])
	})
}

// allocating are the predeclared names whose call may allocate.
var allocating = set("append", "make", "new", "string")

// makes reports whether the body makes values: composite ones, function literals, or by append,
// make, new, or a conversion to string.
func (fn *function) makes() bool {
	return fn.contains(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit, *ast.FuncLit:
			return true
		case *ast.CallExpr:
			name, ok := ast.Unparen(n.Fun).(*ast.Ident)
			return ok && allocating[name.Name]
		}
		return false
	})
}

// contains reports whether the body contains a node for which is holds.
func (fn *function) contains(is func(ast.Node) bool) (found bool) {
	ast.Inspect(fn.body, func(n ast.Node) bool {
		found = found || n != nil && is(n)
		return !found
	})
	return found
}
