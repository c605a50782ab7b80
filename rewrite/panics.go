package rewrite

import (
	"go/ast"
	"go/token"
	"strings"
)

// framed reports whether the scopes of the marked copy can be variables of its own: nothing leaves it but a
// return, and nothing jumps into a scope that has not begun.
func (fn *function) framed() bool { return len(fn.labels) == 0 && !fn.panics() }

// panics reports whether anything in the body might call or panic, as far as its
// syntax shows.
func (fn *function) panics() bool {
	found := false
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name, ok := ast.Unparen(n.Fun).(*ast.Ident)
			found = found || !ok || name.Name != "len" && name.Name != "cap" && name.Name != "min" && name.Name != "max" && !scalarNames[name.Name] || !fn.predeclared(name.Name)
		case *ast.IndexExpr, *ast.SliceExpr, *ast.SelectorExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.SendStmt, *ast.SelectStmt,
			*ast.GoStmt, *ast.DeferStmt, *ast.TypeSwitchStmt, *ast.CompositeLit, *ast.FuncLit:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.RangeStmt:
			switch n.X.(type) {
			case *ast.BasicLit:
			case *ast.Ident:
				found = found || !fn.rangesSafely(n.X)
			default:
				found = true
			}
		case *ast.BinaryExpr:
			found = found || mayPanic(n.Op, n.Y)
		case *ast.SwitchStmt: // compares as == does
			if n.Tag == nil || fn.isBasic(n.Tag) {
				break
			}
			for _, c := range n.Body.List {
				for _, x := range c.(*ast.CaseClause).List {
					found = found || mayPanic(token.EQL, x)
				}
			}
		case *ast.AssignStmt:
			switch n.Tok {
			case token.QUO_ASSIGN, token.REM_ASSIGN, token.SHL_ASSIGN, token.SHR_ASSIGN:
				found = found || !nonzero(n.Rhs[0])
			}
		}
		return !found
	})
	return found
}

// mayPanic reports whether an operator may: on division by 0, on a negative shift, on
// interfaces that hold what cannot be compared.
func mayPanic(op token.Token, y ast.Expr) bool {
	switch op {
	case token.QUO, token.REM, token.SHL, token.SHR:
		return !nonzero(y)
	case token.EQL, token.NEQ:
		name, _ := ast.Unparen(y).(*ast.Ident)
		_, literal := ast.Unparen(y).(*ast.BasicLit)
		return !literal && (name == nil || name.Name != "nil" && name.Name != "true" && name.Name != "false")
	}
	return false
}

// nonzero reports whether an operand is a literal other than 0.
func nonzero(x ast.Expr) bool {
	l, ok := ast.Unparen(x).(*ast.BasicLit)
	return ok && strings.Trim(l.Value, "0xXbBoO_.") != ""
}

// rangesSafely reports whether a loop over what has a name goes over a parameter that, by its type, can neither call nor wait,
// as a function and a channel do, nor be a nil pointer to an array, nor be told that it changes meanwhile, as a map.
func (fn *function) rangesSafely(x ast.Expr) bool {
	switch fn.parameterType(x).(type) {
	case *ast.ArrayType, *ast.Ellipsis:
		return true
	}
	return fn.isBasic(x)
}

// isBasic reports whether an expression is a parameter that is a number, a boolean or a string.
func (fn *function) isBasic(x ast.Expr) bool {
	t, ok := fn.parameterType(x).(*ast.Ident)
	return ok && (t.Name == "string" || scalarNames[t.Name]) && fn.predeclared(t.Name)
}

// parameterType is the type of the parameter that an expression is, nil if it is none, or if something in the body has
// its name.
func (fn *function) parameterType(x ast.Expr) ast.Expr {
	name, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return nil
	}
	for _, field := range fn.typ.Params.List {
		for _, param := range field.Names {
			if param.Name != name.Name {
				continue
			}
			for declared := range declarations(fn.body, false) {
				if declared == name.Name {
					return nil
				}
			}
			return field.Type
		}
	}
	return nil
}
