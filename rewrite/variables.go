package rewrite

import (
	"go/ast"
	"go/token"
)

// variables has the variables of a function by name, each with its declared type or its initial
// value, both nil if unknown. Of several variables with one name it has one.
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

// root returns the name of the variable in x, x.f or x[i], or "" for other operands.
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

// has reports whether an operand is one of the variables, or may be a field or element within one.
func (vars variables) has(x ast.Expr) bool {
	v, ok := vars[root(x)]
	if _, itself := ast.Unparen(x).(*ast.Ident); itself || !ok {
		return ok
	}
	slice, ok := v.typ.(*ast.ArrayType) // behind a pointer or slice it is not within the variable
	return !isReference(v.typ) && (!ok || slice.Len != nil)
}

// isArray reports whether an operand may be an array that is one of the variables, or is within
// one.
func (vars variables) isArray(x ast.Expr) bool {
	if _, itself := ast.Unparen(x).(*ast.Ident); !itself {
		return vars.has(x)
	}
	t, ok := vars[root(x)].typ.(*ast.ArrayType)
	return ok && t.Len != nil
}

// isReference reports whether values of a type are pointers, which convert to interfaces without
// allocation.
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
