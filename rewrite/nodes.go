package rewrite

import (
	"go/ast"

	"github.com/markgen/markgen/rewrite/gc"
)

// The compiler inlines little into functions of gc.BigNodes nodes and more. Calls that are no
// longer inlined may then put on the heap what is on the stack in the plain program. Markers add
// nodes. So a function that they would push over the limit is planted tersely: with fewer nodes per
// marker.

// Approximate numbers of nodes.
const (
	callNodes = 6 // a planted call
	freeNodes = 4 // added to a call that is free to the inliner (see FreePrefix)
	testNodes = 2 // the test of a variable

	enterNodes = 11 // opening a scope that is a variable
	exitNodes  = 6  // closing it

	tallyNodes = 9             // counting a basic block
	openNodes  = callNodes + 7 // OpenTally or TickTally

	beginNodes = openNodes + callNodes + 1 // if perf.Timed(…) { perf.Begin(…) }
	closeNodes = 2*callNodes + 1           // if perf.Ends(…) { perf.End(…) }

	markNodes = 9 // any event in a copy
)

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

// nodesIn returns the approximate number of nodes of the function in a form, markers included.
// Terse markers leave out the assignment that makes them free to the inliner.
func (fn *function) nodesIn(f form, terse bool) int {
	free, opened, begun, closed := freeNodes, openNodes, beginNodes, closeNodes
	if terse || !fn.inline {
		free = 0
	}
	if terse || !fn.inline || fn.untallied {
		opened, begun, closed = callNodes, callNodes, callNodes
	}
	begins, ends, places, counted := 0, 0, 0, 0
	if fn.point != nil {
		begins++
		if fn.falls {
			ends, places = 1, 1
		}
	}
	for _, e := range fn.events {
		switch e.op {
		case opEnter, opPoint:
			begins++
		case opExit:
			if e.n > 0 {
				ends, places = ends+len(e.ends), places+1
			}
		case opCount:
			counted += opened + free
		case opCover, opWrap:
			counted += tallyNodes + free
		}
	}
	inWays, ways := 0, 0 // number of scope ends before returns, and of returns with such
	for _, w := range fn.ways {
		if inWays += len(w.open); len(w.open) > 0 {
			ways++
		}
	}
	n := nodes(fn.body) + counted
	switch {
	case f == formOpen || f == formGuarded && fn.follows && !fn.explicit:
		return n + (opened+free)*begins + (callNodes+free)*(ends+inWays)
	case f == formGuarded && fn.explicit:
		return n + begun*begins + closed*(ends+inWays) + testNodes*(begins+places+ways)
	case f == formGuarded:
		return n + enterNodes*begins + exitNodes*places + testNodes*(begins+places)
	case f == formTwin && fn.explicit:
		return 2*n + begun*begins + closed*(ends+inWays)
	case f == formTwin:
		return 2*n + enterNodes*begins + exitNodes*places
	}
	return n
}

// shortest returns a form in which the function stays below gc.BigNodes, and the reason: f and why
// if that form does, else a form with terse markers. If no form does, it returns f and adds that to
// why. It also returns f and why if the plain function exceeds the limit or calls nothing.
func (fn *function) shortest(f form, why string) (form, string) {
	const (
		slack = gc.BigNodes / 10 // nodes; the estimate may be too low
		brief = gc.BigNodes / 5  // bytes; a shorter body never reaches the limit
	)
	if fn.size < brief || f == formNone || f == formCount || fn.nodesIn(f, false) < gc.BigNodes-slack {
		return f, why
	}
	if nodes(fn.body) >= gc.BigNodes {
		return f, why
	}
	if fn.untallied = true; fn.nodesIn(f, false) < gc.BigNodes-slack {
		return f, why
	}
	if calls, _ := fn.meets(fn.body); !calls {
		return f, why
	}
	terse, follows := formOpen, fn.follows
	if !fn.explicit {
		terse, fn.follows = formGuarded, fn.file.explicit
		if opens, _ := fn.opens(fn.point); !opens {
			fn.follows = false
		}
	}
	if fn.nodesIn(terse, true) < gc.BigNodes && (fn.explicit || fn.follows) {
		fn.terse = true
		return terse, "with other markers it would be too long for the compiler to inline what it calls"
	}
	if fn.follows = follows; fn.nodesIn(f, false) >= gc.BigNodes {
		fn.untallied = false // the limit is exceeded either way
		why += "; with its markers it is too long for the compiler to inline more than little of what it calls"
	}
	return f, why
}
