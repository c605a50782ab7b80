package rewrite

import (
	"go/ast"

	"github.com/markgen/markgen/rewrite/gc"
)

// The compiler inlines little into functions of gc.BigNodes nodes and more. Calls that are no
// longer inlined may then put on the heap what is on the stack in the plain program. Markers add
// nodes. So a function that they might push over the limit is planted tersely: with fewer nodes per
// marker, about half as many.

// markNodes is the approximate number of nodes of what is planted for an event.
const markNodes = 9

// nodes returns the approximate number of nodes that the compiler makes of a statement. Function
// literals count as one node, since they are functions of their own.
func nodes(s ast.Stmt) (n int) {
	ast.Inspect(s, func(x ast.Node) bool {
		switch x.(type) {
		case nil, *ast.ParenExpr, *ast.BlockStmt, *ast.ExprStmt, *ast.DeclStmt, *ast.GenDecl, *ast.ValueSpec:
		case *ast.FuncLit:
			n++
			return false
		default:
			n++
		}
		return true
	})
	return n
}

// nodesMarked returns the approximate number of nodes of the function with its markers.
func (fn *function) nodesMarked() int {
	n := nodes(fn.body) + markNodes*(len(fn.events)+2)
	for _, w := range fn.returns {
		n += markNodes * len(w.open)
	}
	return n
}

// isLong reports whether markers may push the function over gc.BigNodes.
func (fn *function) isLong() bool {
	return fn.size > gc.BigNodes/5 && nodes(fn.body) < gc.BigNodes && 2*fn.nodesMarked() > gc.BigNodes
}
