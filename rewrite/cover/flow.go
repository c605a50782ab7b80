package cover

import (
	"go/ast"
	"go/token"

	"github.com/markgen/markgen/rewrite/flow"
)

// A clause is a case of a switch or select.
type clause struct {
	colon, end token.Pos
	body       []ast.Stmt
}

// clauses returns the clauses when b is the body of a switch or select, else nil.
func clauses(b *ast.BlockStmt) []clause {
	var cs []clause
	for _, s := range b.List {
		switch c := s.(type) {
		case *ast.CaseClause:
			cs = append(cs, clause{c.Colon, c.End(), c.Body})
		case *ast.CommClause:
			cs = append(cs, clause{c.Colon, c.End(), c.Body})
		default:
			return nil
		}
	}
	return cs
}

// endsBlock reports whether s is the last statement of its basic block: it may transfer control
// elsewhere than to the next statement, it may be jumped to, or it has a function literal, whose
// body is a block of its own.
func endsBlock(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BlockStmt, *ast.BranchStmt, *ast.ForStmt, *ast.IfStmt, *ast.LabeledStmt, *ast.RangeStmt,
		*ast.SwitchStmt, *ast.SelectStmt, *ast.TypeSwitchStmt:
		return true
	case *ast.ExprStmt:
		if panics(s) {
			return true
		}
	}
	return literal(s).IsValid()
}

// panics reports whether s is a call of panic, judging by the name.
func panics(s *ast.ExprStmt) bool {
	call, ok := s.X.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "panic"
}

// boundary returns the end of the block whose last statement is s: the body of the first
// function literal in s or its header, else the body of s, else the end of s.
func boundary(s ast.Stmt) token.Pos {
	var head []ast.Node
	var body *ast.BlockStmt
	switch s := s.(type) {
	case *ast.LabeledStmt:
		return boundary(s.Stmt)
	case *ast.BlockStmt:
		return s.Lbrace
	case *ast.SelectStmt:
		return s.Body.Lbrace
	case *ast.IfStmt:
		head, body = []ast.Node{s.Init, s.Cond}, s.Body
	case *ast.ForStmt:
		head, body = []ast.Node{s.Init, s.Cond, s.Post}, s.Body
	case *ast.RangeStmt:
		head, body = []ast.Node{s.X}, s.Body
	case *ast.SwitchStmt:
		head, body = []ast.Node{s.Init, s.Tag}, s.Body
	case *ast.TypeSwitchStmt:
		// Like cmd/cover, do not search the guard x := y.(type).
		head, body = []ast.Node{s.Init}, s.Body
	default:
		if pos := literal(s); pos.IsValid() {
			return pos
		}
		return s.End()
	}
	for _, n := range head {
		if pos := literal(n); pos.IsValid() {
			return pos
		}
	}
	return body.Lbrace
}

// literal returns the position of the body of the first function literal in n, NoPos without one.
func literal(n ast.Node) token.Pos {
	pos := token.NoPos
	if n == nil {
		return pos
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if l, ok := n.(*ast.FuncLit); ok && !pos.IsValid() {
			pos = l.Body.Lbrace
		}
		return !pos.IsValid()
	})
	return pos
}

// keepsLabel reports whether a label must be directly before s, since break and continue may
// name it.
func keepsLabel(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.SelectStmt, *ast.TypeSwitchStmt:
		return true
	}
	return false
}

// dead reports whether rest, which follows before in one list, has only empty statements and
// before ends in a terminating statement. A counter in rest would be the last non-empty statement
// of the list, which must remain the terminating one.
func dead(before, rest []ast.Stmt) bool {
	for _, s := range rest {
		if _, ok := s.(*ast.EmptyStmt); !ok {
			return false
		}
	}
	return flow.TerminatingList(before)
}
