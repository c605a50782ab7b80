package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
)

// left returns why a point gets no marker, or "". The point remains one of the unit's: the IDs of
// others depend on it. Regions and points are always kept, since users write them one by one.
func (w *walker) left(p *Point) string {
	switch {
	case p.Kind == KindRegion || p.Kind == KindPoint:
		return ""
	case !p.Explicit && w.fn.short > 0:
		return fmt.Sprintf("in a function of %d nodes, which are fewer than %d, and no loop", w.fn.short, w.o.Min)
	case w.o.Leave != nil:
		return w.o.Leave(p)
	}
	return ""
}

// shortNodes returns the number of nodes of a function's body, at least 1, if they are fewer than
// limit and it has no loop, else 0.
func shortNodes(body *ast.BlockStmt, limit int) int {
	if limit <= 0 {
		return 0
	}
	n := max(nodes(body), 1)
	if n >= limit {
		return 0
	}
	loops := func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		case *ast.BranchStmt:
			return x.Tok == token.GOTO
		}
		return false
	}
	if outsideLiterals(body, loops) {
		return 0
	}
	return n
}

// nodes returns the approximate number of nodes that the compiler makes of a statement. Function
// literals count as one node, since they are functions of their own.
func nodes(s ast.Stmt) (n int) {
	ast.Inspect(s, func(x ast.Node) bool {
		switch x.(type) {
		case nil, *ast.ParenExpr, *ast.BlockStmt, *ast.ExprStmt, *ast.DeclStmt, *ast.GenDecl, *ast.ValueSpec:
			return true
		}
		n++
		_, literal := x.(*ast.FuncLit)
		return !literal
	})
	return n
}
