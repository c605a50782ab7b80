package rewrite

import (
	"go/ast"
	"go/token"
)

// coverClause is a case of a switch or select.
type coverClause struct {
	colon, end token.Pos
	body       []ast.Stmt
}

// coverClauses returns the clauses when b is the body of a switch or select, else nil.
func coverClauses(b *ast.BlockStmt) []coverClause {
	var cs []coverClause
	for _, s := range b.List {
		switch c := s.(type) {
		case *ast.CaseClause:
			cs = append(cs, coverClause{c.Colon, c.End(), c.Body})
		case *ast.CommClause:
			cs = append(cs, coverClause{c.Colon, c.End(), c.Body})
		default:
			return nil
		}
	}
	return cs
}

// coverEnds reports whether s is the last statement of its basic block: it may send control elsewhere
// than to the next statement, control may come to it from elsewhere, or it holds a function literal,
// whose body is a block of its own.
func coverEnds(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BlockStmt, *ast.BranchStmt, *ast.ForStmt, *ast.IfStmt, *ast.LabeledStmt, *ast.RangeStmt,
		*ast.SwitchStmt, *ast.SelectStmt, *ast.TypeSwitchStmt:
		return true
	case *ast.ExprStmt:
		if coverPanics(s) {
			return true
		}
	}
	return coverLiteral(s).IsValid()
}

// coverPanics reports whether s is a call of panic, by name, as there are no types here.
func coverPanics(s *ast.ExprStmt) bool {
	call, ok := s.X.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "panic"
}

// coverBoundary returns where the block that s belongs to ends if s is its last statement: at the
// body of the first function literal in the part of s that runs at once, else at the body of s,
// else behind s.
func coverBoundary(s ast.Stmt) token.Pos {
	var head []ast.Node
	var body *ast.BlockStmt
	switch s := s.(type) {
	case *ast.LabeledStmt:
		return coverBoundary(s.Stmt)
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
		// As cmd/cover has it, the guard x := y.(type) is not searched.
		head, body = []ast.Node{s.Init}, s.Body
	default:
		if pos := coverLiteral(s); pos.IsValid() {
			return pos
		}
		return s.End()
	}
	for _, n := range head {
		if pos := coverLiteral(n); pos.IsValid() {
			return pos
		}
	}
	return body.Lbrace
}

// coverLiteral returns the position of the body of the first function literal in n, NoPos without one.
func coverLiteral(n ast.Node) token.Pos {
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

// coverKeepsLabel reports whether a label must stand right before s, as break and continue may name it.
func coverKeepsLabel(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.SelectStmt, *ast.TypeSwitchStmt:
		return true
	}
	return false
}

// coverDead reports whether rest, which follows before in one list, is nothing but empty statements
// behind a statement that control does not pass: a counter there would become the last non-empty
// statement of the list, which must be the one before.
func coverDead(before, rest []ast.Stmt) bool {
	for _, s := range rest {
		if _, ok := s.(*ast.EmptyStmt); !ok {
			return false
		}
	}
	return new(flow).terminatingList(before)
}
