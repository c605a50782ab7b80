package rewrite

import (
	"go/ast"

	"github.com/markgen/markgen/rewrite/gc"
)

// The compiler inlines little into functions of gc.BigNodes nodes and more, and what is called there rather than inlined may put on the
// heap what is on the stack in the plain program. Markers have nodes, too. So a function that is below that without them is
// planted with as few as can be if it is not else.

const (
	// callNodes is how many nodes a planted call has, freeNodes how many more one that costs the inliner nothing, and testNodes how many
	// a test of a variable has.
	callNodes = 6
	freeNodes = 4
	testNodes = 2

	// enterNodes are those of a scope that is a variable's being opened, and exitNodes of its being closed.
	enterNodes = 11
	exitNodes  = 6

	// tallyNodes are those of counting a basic block, or a scope where the inliner takes no account
	// of that.
	tallyNodes = 9
	openNodes  = callNodes + 7

	// beginNodes are those of a test whether a scope is timed, which counts it if not, and of its
	// being opened; closeNodes of a test whether it may be open, and of its being closed.
	beginNodes = openNodes + callNodes + 1
	closeNodes = 2*callNodes + 1

	// markNodes is how many nodes something planted has in a copy, about.
	markNodes = 9
)

// nodes is how many nodes the compiler makes of a statement, about. Function literals are functions of their own.
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

// nodesIn is how many nodes the function has in a form, about, markers included. Where they are terse they do without what makes them free to
// the inliner.
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
	inWays, ways := 0, 0 // what ends scopes where the function returns
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

// shortest is the form in which the compiler goes on inlining into the function, if that is another than the one chosen for the reason
// given, and says if there is none.
func (fn *function) shortest(f form, why string) (form, string) {
	const (
		slack = gc.BigNodes / 10 // since what is known of nodes is about
		brief = gc.BigNodes / 5  // bytes that are too few, whatever they say
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
		fn.untallied = false // more of them make no difference
		why += "; with its markers it is too long for the compiler to inline more than little of what it calls"
	}
	return f, why
}
