package rewrite

import (
	"go/ast"
	"go/token"
	"strings"
)

// framed reports whether the scopes of the marked copy can be local variables, which cost a quarter
// less: the copy is left only by a return, never by a panic, and has no labels, so that no jump
// enters a scope that has not begun.
func (fn *function) framed() bool { return len(fn.labels) == 0 && !fn.panics() }

// panics reports whether anything in the body might call a function or panic, as far as syntax
// shows. What is left is arithmetic, in branches and in loops with a condition or over a number.
func (fn *function) panics() bool {
	return fn.contains(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name, ok := ast.Unparen(n.Fun).(*ast.Ident)
			return !ok || name.Name != "len" && name.Name != "cap" && !scalarNames[name.Name] || !fn.predeclared(name.Name)
		case *ast.IndexExpr, *ast.SliceExpr, *ast.SelectorExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.SendStmt, *ast.SelectStmt,
			*ast.GoStmt, *ast.DeferStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.CompositeLit, *ast.FuncLit:
			return true
		case *ast.UnaryExpr:
			return n.Op == token.ARROW
		case *ast.RangeStmt:
			_, literal := n.X.(*ast.BasicLit)
			return !literal && !fn.isNumber(n.X)
		case *ast.BinaryExpr:
			return mayPanic(n.Op, n.Y)
		case *ast.AssignStmt:
			return n.Tok != token.ASSIGN && n.Tok != token.DEFINE && mayPanic(n.Tok-token.ADD_ASSIGN+token.ADD, n.Rhs[0])
		}
		return false
	})
}

// mayPanic reports whether an operator may panic: division by 0, a negative shift count, or a
// comparison of interfaces with incomparable values.
func mayPanic(op token.Token, y ast.Expr) bool {
	literal, _ := ast.Unparen(y).(*ast.BasicLit)
	switch op {
	case token.QUO, token.REM, token.SHL, token.SHR:
		return literal == nil || strings.Trim(literal.Value, "0xXbBoO_.") == ""
	case token.EQL, token.NEQ:
		return literal == nil
	}
	return false
}

// isNumber reports whether an expression is a parameter of a predeclared type, if the body declares
// nothing of that name.
func (fn *function) isNumber(x ast.Expr) bool {
	name, ok := x.(*ast.Ident)
	if !ok {
		return false
	}
	for declared := range declarations(fn.body, false) {
		if declared == name.Name {
			return false
		}
	}
	for _, field := range fn.typ.Params.List {
		for _, param := range field.Names {
			if param.Name == name.Name {
				return scalar(field.Type) && fn.predeclared(field.Type.(*ast.Ident).Name)
			}
		}
	}
	return false
}
