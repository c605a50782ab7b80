// Package flow tells from syntax where control goes: whether it may reach the end of a list of
// statements, and what leaves a loop, switch or select.
package flow

import (
	"go/ast"
	"go/token"
)

// Ends reports whether control never reaches the end of a statement list. A statement
// added there would never run, and in a function with results the function would no
// longer end in a terminating statement. It follows "Terminating statements" in the
// language specification, but break, continue and fallthrough count as well, since they
// leave the list just as goto does.
func (f *Analysis) Ends(list []ast.Stmt) bool {
	for i := len(list) - 1; i >= 0; i-- {
		if _, empty := list[i].(*ast.EmptyStmt); !empty {
			return f.leaves(list[i], "")
		}
	}
	return false
}

// leaves is Ends for the last statement of a list.
func (f *Analysis) leaves(s ast.Stmt, label string) bool {
	switch s := s.(type) {
	case *ast.BranchStmt:
		return true
	case *ast.BlockStmt:
		return f.Ends(s.List)
	case *ast.IfStmt:
		return s.Else != nil && f.Ends(s.Body.List) && f.leaves(s.Else, "")
	case *ast.LabeledStmt:
		return f.leaves(s.Stmt, s.Label.Name)
	case *ast.SwitchStmt:
		return f.leavingClauses(s.Body, label, false)
	case *ast.TypeSwitchStmt:
		return f.leavingClauses(s.Body, label, false)
	case *ast.SelectStmt:
		return f.leavingClauses(s.Body, label, true)
	}
	return f.terminating(s, label)
}

// leavingClauses reports whether control never reaches the statement after a switch or
// select. A switch without default reaches it if no case matches; complete is true for
// a select, which needs no default.
func (f *Analysis) leavingClauses(body *ast.BlockStmt, label string, complete bool) bool {
	for _, c := range body.List {
		var list []ast.Stmt
		switch c := c.(type) {
		case *ast.CaseClause:
			list, complete = c.Body, complete || c.List == nil
		case *ast.CommClause:
			list = c.Body
		}
		if !f.Ends(list) || breaksList(list, label, true) {
			return false
		}
	}
	return complete
}

// An Analysis is of the control flow of files that are compiled together. The zero value is right if
// they don't redeclare panic.
type Analysis struct {
	OwnPanic bool               // no call of panic is known to be of the predeclared function
	NotPanic map[token.Pos]bool // positions where panic is another function, if only functions redeclare it
}

// terminating reports whether a statement is terminating as the specification defines it; label is
// the statement's label, or "".
func (f *Analysis) terminating(s ast.Stmt, label string) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH
	case *ast.ExprStmt:
		call, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if !ok || f.OwnPanic {
			return false
		}
		name, ok := call.Fun.(*ast.Ident)
		return ok && name.Name == "panic" && !f.NotPanic[name.Pos()]
	case *ast.BlockStmt:
		return f.TerminatingList(s.List)
	case *ast.IfStmt:
		return s.Else != nil && f.TerminatingList(s.Body.List) && f.terminating(s.Else, "")
	case *ast.ForStmt:
		return s.Cond == nil && !breaks(s.Body, label, true)
	case *ast.LabeledStmt:
		return f.terminating(s.Stmt, s.Label.Name)
	case *ast.SwitchStmt:
		return f.terminatingCases(s.Body, label)
	case *ast.TypeSwitchStmt:
		return f.terminatingCases(s.Body, label)
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			body := c.(*ast.CommClause).Body
			if !f.TerminatingList(body) || breaksList(body, label, true) {
				return false
			}
		}
		return true
	}
	return false
}

// TerminatingList reports whether a statement list ends in a terminating statement as the
// specification defines it.
func (f *Analysis) TerminatingList(list []ast.Stmt) bool {
	for i := len(list) - 1; i >= 0; i-- {
		if _, empty := list[i].(*ast.EmptyStmt); !empty {
			return f.terminating(list[i], "")
		}
	}
	return false
}

func (f *Analysis) terminatingCases(body *ast.BlockStmt, label string) bool {
	hasDefault := false
	for _, c := range body.List {
		c := c.(*ast.CaseClause)
		if c.List == nil {
			hasDefault = true
		}
		if !f.TerminatingList(c.Body) || breaksList(c.Body, label, true) {
			return false
		}
	}
	return hasDefault
}

// breaks reports whether a statement has a break with the given label or, if implicit is true, a
// break without a label that leaves the enclosing statement.
func breaks(s ast.Stmt, label string, implicit bool) bool {
	switch s := s.(type) {
	case *ast.BranchStmt:
		if s.Tok != token.BREAK {
			return false
		}
		if s.Label == nil {
			return implicit
		}
		return s.Label.Name == label
	case *ast.BlockStmt:
		return breaksList(s.List, label, implicit)
	case *ast.IfStmt:
		return breaks(s.Body, label, implicit) || s.Else != nil && breaks(s.Else, label, implicit)
	case *ast.CaseClause:
		return breaksList(s.Body, label, implicit)
	case *ast.CommClause:
		return breaksList(s.Body, label, implicit)
	case *ast.LabeledStmt:
		return breaks(s.Stmt, label, implicit)
	case *ast.ForStmt:
		return label != "" && breaks(s.Body, label, false)
	case *ast.RangeStmt:
		return label != "" && breaks(s.Body, label, false)
	case *ast.SwitchStmt:
		return label != "" && breaks(s.Body, label, false)
	case *ast.TypeSwitchStmt:
		return label != "" && breaks(s.Body, label, false)
	case *ast.SelectStmt:
		return label != "" && breaks(s.Body, label, false)
	}
	return false
}

func breaksList(list []ast.Stmt, label string, implicit bool) bool {
	for _, s := range list {
		if breaks(s, label, implicit) {
			return true
		}
	}
	return false
}
