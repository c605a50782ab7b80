// Package flow tells from syntax where control goes: whether it may reach the end of a list of
// statements, and what leaves a loop, switch or select. A call of panic is taken to be of the
// predeclared function: a scope that ends in a call of another one is ended by the scope around it.
package flow

import (
	"go/ast"
	"go/token"
	"slices"
)

// Ends reports whether control never reaches the end of a statement list. A statement
// added there would never run, and in a function with results the function would no
// longer end in a terminating statement. It follows "Terminating statements" in the
// language specification, but break, continue and fallthrough count as well, since they
// leave the list just as goto does.
func Ends(list []ast.Stmt) bool { return listEnds(list, true) }

// TerminatingList reports whether a statement list ends in a terminating statement as the
// specification defines it.
func TerminatingList(list []ast.Stmt) bool { return listEnds(list, false) }

// listEnds reports whether a statement list ends in a terminating statement; if jumps is true, break
// and continue count as well.
func listEnds(list []ast.Stmt, jumps bool) bool {
	for _, s := range slices.Backward(list) {
		if _, empty := s.(*ast.EmptyStmt); !empty {
			return ends(s, "", jumps)
		}
	}
	return false
}

// ends is listEnds for a statement with the given label, or "".
func ends(s ast.Stmt, label string, jumps bool) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return jumps || s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH
	case *ast.ExprStmt:
		call, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if !ok {
			return false
		}
		name, ok := call.Fun.(*ast.Ident)
		return ok && name.Name == "panic"
	case *ast.BlockStmt:
		return listEnds(s.List, jumps)
	case *ast.IfStmt:
		return s.Else != nil && listEnds(s.Body.List, jumps) && ends(s.Else, "", jumps)
	case *ast.ForStmt:
		return s.Cond == nil && !breaks(s.Body, label, true)
	case *ast.LabeledStmt:
		return ends(s.Stmt, s.Label.Name, jumps)
	case *ast.SwitchStmt:
		return clauses(s.Body, label, jumps, false)
	case *ast.TypeSwitchStmt:
		return clauses(s.Body, label, jumps, false)
	case *ast.SelectStmt:
		return clauses(s.Body, label, jumps, true)
	}
	return false
}

// clauses is ends for a switch or select. A switch without default reaches its end if no case
// matches; complete is true for a select, which needs no default.
func clauses(body *ast.BlockStmt, label string, jumps, complete bool) bool {
	for _, c := range body.List {
		var list []ast.Stmt
		switch c := c.(type) {
		case *ast.CaseClause:
			list, complete = c.Body, complete || c.List == nil
		case *ast.CommClause:
			list = c.Body
		}
		if !listEnds(list, jumps) || slices.ContainsFunc(list, func(s ast.Stmt) bool { return breaks(s, label, true) }) {
			return false
		}
	}
	return complete
}

// breaks reports whether a statement has a break with the given label or, if implicit is true, a
// break without a label that leaves the enclosing statement.
func breaks(in ast.Stmt, label string, implicit bool) (found bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BranchStmt:
			leaves := n.Label == nil && implicit || n.Label != nil && n.Label.Name == label
			found = found || n.Tok == token.BREAK && leaves
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if implicit {
				found = found || breaks(n.(ast.Stmt), label, false)
				return false
			}
		}
		return !found
	})
	return found
}
