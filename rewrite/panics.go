package rewrite

import (
	"go/ast"
	"go/token"
	"strings"
)

// framed reports whether the scopes of the marked copy can be local variables: the copy is left
// only by a return, never by a panic, and has no labels, so that no jump enters a scope that has
// not begun.
func (fn *function) framed() bool { return len(fn.labels) == 0 && !fn.panics() }

// panics reports whether anything in the body might call a function or panic, as far as syntax
// shows.
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
		case *ast.SwitchStmt: // compares like ==
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

// mayPanic reports whether an operator may panic: division by 0, a negative shift count, or a
// comparison of interfaces with incomparable values.
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

// rangesSafely reports whether x is a parameter over which a loop cannot call, wait or panic,
// judging by its type. That excludes functions, channels, nil pointers to arrays, and maps, which
// may be written concurrently.
func (fn *function) rangesSafely(x ast.Expr) bool {
	switch fn.parameterType(x).(type) {
	case *ast.ArrayType, *ast.Ellipsis:
		return true
	}
	return fn.isBasic(x)
}

// isBasic reports whether an expression is a parameter of numeric, boolean or string type.
func (fn *function) isBasic(x ast.Expr) bool {
	t, ok := fn.parameterType(x).(*ast.Ident)
	return ok && (t.Name == "string" || scalarNames[t.Name]) && fn.predeclared(t.Name)
}

// parameterType returns the type of the parameter x, or nil if x is no parameter or the body
// declares something of that name.
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
