package rewrite

import (
	"go/ast"
	"go/token"
	"slices"
)

// What a function returns is on the stack of its caller where the compiler inlines it and sees that it goes no further. So
// whether a function may be kept from being inlined depends on what it allocates.

// allocating are the predeclared names whose call may allocate.
var allocating = set("append", "make", "new", "string")

// allocates says whether something that the function makes, or that it passes
// to a function it gets as a parameter, may be on the heap only if the function
// is not inlined: it returns something of its own by its address or in a slice, as a
// value of an interface or as a function, or calls methods of an interface that it gets; or what it makes is as long as it is told. It works on
// syntax, and may say yes where that is not so.
func (fn *function) allocates() bool {
	if !fn.allocated.known {
		fn.allocated.known, fn.allocated.is = true, fn.mayAllocate()
	}
	return fn.allocated.is
}

func (fn *function) mayAllocate() bool {
	returned := false
	if fn.results() {
		for _, field := range fn.typ.Results.List {
			returned = returned || !scalar(field.Type)
		}
	}
	vars := fn.variables()
	found := false
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			found = found || returned && n.Op == token.AND && (isComposite(n.X) || vars.has(n.X))
		case *ast.SliceExpr:
			found = found || returned && vars.isArray(n.X)
		case *ast.CompositeLit:
			switch n.Type.(type) {
			case *ast.ArrayType, *ast.MapType:
				found = found || returned
			}
		case *ast.RangeStmt:
			found = found || fn.rangesGiven(n)
		case *ast.FuncLit:
			found = found || returned
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				found = found || returned && vars.calls(x)
			}
		case *ast.CallExpr:
			switch f := ast.Unparen(n.Fun).(type) {
			case *ast.Ident:
				_, slice := fn.estimated.types[f.Name].(*ast.ArrayType) // a conversion
				found = found || fn.given[f.Name] || returned && (allocating[f.Name] || slice) || f.Name == "make" && vars.long(n)
			case *ast.SelectorExpr:
				x, ok := f.X.(*ast.Ident)
				found = found || ok && fn.given[x.Name]
			case *ast.ArrayType:
				found = found || returned
			}
		}
		return !found
	})
	return found || returned && fn.boxes(vars)
}

// boxes says whether a value may become one of an interface, or a method be bound to one, in what the function returns.
func (fn *function) boxes(vars variables) bool {
	in := fn.estimated
	var results []ast.Expr // types
	for _, field := range fn.typ.Results.List {
		for range max(len(field.Names), 1) {
			results = append(results, field.Type)
		}
	}
	found := false
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			for i, x := range n.Results {
				if len(n.Results) != len(results) { // those of a call
					break
				}
				method, ok := ast.Unparen(x).(*ast.SelectorExpr)
				found = found || in.boxed(results[i], x, vars) || ok && in.callable(results[i]) && vars.has(method.X)
			}
		case *ast.AssignStmt:
			for i, x := range n.Rhs {
				if len(n.Rhs) != len(n.Lhs) {
					break
				}
				switch to := ast.Unparen(n.Lhs[i]).(type) {
				case *ast.Ident:
					found = found || in.boxed(vars[to.Name].typ, x, vars)
				case *ast.SelectorExpr:
					found = found || in.boxedIn(to.Sel.Name, x, vars)
				}
			}
		case *ast.ValueSpec:
			for _, x := range n.Values {
				found = found || in.boxed(n.Type, x, vars)
			}
		case *ast.CompositeLit:
			found = found || in.boxesElement(n, vars)
		}
		return !found
	})
	return found
}

// boxed says whether x may become a value of an interface where one of that type is wanted, nil: what it is.
func (in *inliner) boxed(want, x ast.Expr, vars variables) bool {
	mostly, ok := in.isInterface(want)
	if !ok {
		return false
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.BasicLit, *ast.FuncLit:
		return false
	case *ast.UnaryExpr:
		return mostly && x.Op != token.AND
	case *ast.CallExpr: // of a type it is a conversion
		name, ok := ast.Unparen(x.Fun).(*ast.Ident)
		if ok && in.types[name.Name] != nil {
			_, is := in.isInterface(name)
			return !is
		}
		return mostly
	case *ast.Ident:
		if x.Name == "nil" || x.Name == "true" || x.Name == "false" {
			return false
		}
		v, known := vars[x.Name]
		switch {
		case v.typ != nil:
			_, is := in.isInterface(v.typ)
			return !is && !isReference(v.typ)
		case known && isComposite(v.value):
			return true
		case known:
			call, ok := v.value.(*ast.CallExpr)
			return mostly || ok && in.boxed(want, call, vars)
		}
		return mostly
	}
	return mostly
}

// boxedIn is boxed for what goes to a field of that name, as far as the unit's structs tell.
func (in *inliner) boxedIn(field string, x ast.Expr, vars variables) bool {
	return slices.ContainsFunc(in.fields[field], func(base string) bool {
		return base != "" && in.boxed(ast.NewIdent(base), x, vars)
	})
}

// boxesElement says whether an element of a struct's literal may become a value of an interface.
func (in *inliner) boxesElement(lit *ast.CompositeLit, vars variables) bool {
	typ := lit.Type
	if name, ok := typ.(*ast.Ident); ok {
		typ = in.types[name.Name]
	}
	t, ok := typ.(*ast.StructType)
	if !ok {
		return false
	}
	var types []ast.Expr
	named := map[string]ast.Expr{}
	for _, field := range t.Fields.List {
		for _, name := range field.Names {
			named[name.Name] = field.Type
		}
		for range max(len(field.Names), 1) {
			types = append(types, field.Type)
		}
	}
	for i, x := range lit.Elts {
		var want ast.Expr
		if pair, ok := x.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok {
				want, x = named[key.Name], pair.Value
			}
		} else if i < len(types) {
			want = types[i]
		}
		if in.boxed(want, x, vars) {
			return true
		}
	}
	return false
}

// isInterface says whether a type is an interface as far as syntax shows, or may be one of another package, and mostly whether
// most values that are used as one are converted to it: of what is given as an error, or as another's, most are one already.
func (in *inliner) isInterface(t ast.Expr) (mostly, ok bool) {
	switch t := ast.Unparen(t).(type) {
	case *ast.InterfaceType:
		return len(t.Methods.List) == 0, true
	case *ast.SelectorExpr:
		return false, true
	case *ast.Ident:
		switch declared := in.types[t.Name].(type) {
		case nil:
			return t.Name == "any", t.Name == "any" || t.Name == "error"
		case *ast.InterfaceType:
			return len(declared.Methods.List) == 0, true
		}
	}
	return false, false
}

// isReference says whether values of a type are pointers, which become values of an interface as they are.
func isReference(t ast.Expr) bool {
	switch ast.Unparen(t).(type) {
	case *ast.StarExpr, *ast.MapType, *ast.ChanType, *ast.FuncType:
		return true
	}
	return false
}

func isComposite(x ast.Expr) bool {
	_, is := ast.Unparen(x).(*ast.CompositeLit)
	return is
}

// variables are those of a function by name: the type that each is declared with, or what it is given where it is declared. Of
// several of one name it is one.
type variables map[string]local

type local struct{ typ, value ast.Expr }

func (fn *function) variables() variables {
	if fn.vars == nil {
		fn.vars = fn.findVariables()
	}
	return fn.vars
}

func (fn *function) findVariables() variables {
	vars := variables{}
	add := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				vars[name.Name] = local{typ: field.Type}
			}
		}
	}
	if fn.decl != nil {
		add(fn.decl.Recv)
	}
	add(fn.typ.Params)
	add(fn.typ.Results)
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, name := range n.Names {
				v := local{typ: n.Type}
				if i < len(n.Values) {
					v.value = n.Values[i]
				}
				vars[name.Name] = v
			}
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				break
			}
			for i, x := range n.Lhs {
				name, ok := x.(*ast.Ident)
				if !ok {
					continue
				}
				if _, before := vars[name.Name]; before {
					continue
				}
				v := local{}
				if len(n.Rhs) == len(n.Lhs) {
					v.value = n.Rhs[i]
				}
				vars[name.Name] = v
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				for _, x := range []ast.Expr{n.Key, n.Value} {
					if name, ok := x.(*ast.Ident); ok {
						vars[name.Name] = local{}
					}
				}
			}
		}
		return true
	})
	return vars
}

// root is the name that an operand begins with, "" if it begins otherwise.
func root(x ast.Expr) string {
	if name := rootName(x); name != nil {
		return name.Name
	}
	return ""
}

func rootName(x ast.Expr) *ast.Ident {
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.Ident:
			return y
		case *ast.SelectorExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		default:
			return nil
		}
	}
}

// has says whether an operand is one of the variables, or may be a part of one.
func (vars variables) has(x ast.Expr) bool {
	v, ok := vars[root(x)]
	if _, itself := ast.Unparen(x).(*ast.Ident); itself || !ok {
		return ok
	}
	slice, ok := v.typ.(*ast.ArrayType) // what a pointer or a slice leads to is no part
	return !isReference(v.typ) && (!ok || slice.Len != nil)
}

// isArray says whether an operand may be an array that is one of the variables or a part of it.
func (vars variables) isArray(x ast.Expr) bool {
	if _, itself := ast.Unparen(x).(*ast.Ident); !itself {
		return vars.has(x)
	}
	t, ok := vars[root(x)].typ.(*ast.ArrayType)
	return ok && t.Len != nil
}

// calls says whether x is a call of a method of one of the variables, which may return a part of it by its address.
func (vars variables) calls(x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	v, ok := vars[root(method.X)]
	return ok && vars.has(method.X) && (v.typ != nil || isComposite(v.value))
}

// long says whether a call makes something that is as long as one of the variables says, which may be a constant where it is inlined.
func (vars variables) long(made *ast.CallExpr) (is bool) {
	for _, x := range made.Args[min(1, len(made.Args)):] {
		ast.Inspect(x, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				_, known := vars[name.Name]
				is = is || known
			}
			return !is
		})
	}
	return is
}
