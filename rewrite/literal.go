package rewrite

import (
	"go/ast"
	"go/token"

	"github.com/markgen/markgen/rewrite/gc"
)

// The compiler inlines function literals that cost more than functions may: where it knows which one is called, and as often as that
// is, up to gc.ClosureBudget; what is called in one place, up to gc.OnceBudget. So what they make may be on the stack, and where they are
// called, what they cost is a part of the cost of the function around them. Markers with a test at the top would change both.
const testedCost = 65 // of a planted call with its argument and the test in front of it, about

// findLiterals sets outer, calls and passed of the literals of the unit's declared functions, and which calls are of them.
func (in *inliner) findLiterals(u *Unit) {
	for _, f := range u.files {
		literals := map[*ast.FuncLit]*function{}
		for _, fn := range f.functions {
			if fn.lit != nil {
				literals[fn.lit] = fn
			}
		}
		for _, fn := range f.functions {
			if fn.decl != nil && fn.literals > 0 {
				uses := &literalUses{in, literals, map[string]*function{}, map[*function][]*ast.CallExpr{}, map[*function]string{}, map[string]bool{}}
				uses.follow(fn)
				uses.settle()
			}
		}
	}
}

// literalUses is what the statements of a declared function, its literals included, do with the literals.
type literalUses struct {
	in       *inliner
	literals map[*ast.FuncLit]*function
	bound    map[string]*function          // by the name of the variable that was set to it where that was declared last
	calls    map[*function][]*ast.CallExpr // by that name
	names    map[*function]string          // of these variables
	set      map[string]bool               // the names of variables that are set again, or whose address is taken
}

// follow follows what the body of fn does.
func (l *literalUses) follow(fn *function) {
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if inner := l.literals[n]; inner != nil {
				inner.outer = fn
				l.follow(inner)
			}
			return false
		case *ast.DeferStmt: // what it calls is not inlined
			l.call(n.Call, -1)
		case *ast.GoStmt:
			l.call(n.Call, -1)
		case *ast.CallExpr:
			l.call(n, 1)
		case *ast.AssignStmt:
			for i, x := range n.Lhs {
				if n.Tok != token.DEFINE {
					l.sets(x)
				} else if len(n.Lhs) == len(n.Rhs) {
					l.binds(x, n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i < len(n.Values) {
					l.binds(name, n.Values[i])
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				l.sets(n.X)
			}
		}
		return true
	})
}

// call takes note of so many more places where a call may be inlined, and of what it gets.
func (l *literalUses) call(call *ast.CallExpr, places int) {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.FuncLit:
		if lit := l.literals[f]; lit != nil {
			lit.calls += places
			l.in.called[call] = lit
		}
	case *ast.Ident:
		if lit := l.bound[f.Name]; lit != nil {
			lit.calls += places
			l.calls[lit] = append(l.calls[lit], call)
		}
	}
	for _, x := range call.Args {
		switch x := ast.Unparen(x).(type) {
		case *ast.FuncLit:
			if lit := l.literals[x]; lit != nil {
				lit.passed = true
			}
		case *ast.Ident:
			if lit := l.bound[x.Name]; lit != nil {
				lit.passed = true
			}
		}
	}
}

func (l *literalUses) sets(x ast.Expr) {
	if name, ok := ast.Unparen(x).(*ast.Ident); ok {
		l.set[name.Name] = true
	}
}

func (l *literalUses) binds(to, x ast.Expr) {
	name, ok := to.(*ast.Ident)
	if !ok {
		return
	}
	delete(l.bound, name.Name)
	if lit, ok := ast.Unparen(x).(*ast.FuncLit); ok && l.literals[lit] != nil {
		l.bound[name.Name], l.names[l.literals[lit]] = l.literals[lit], name.Name
	}
}

// settle takes back what is not known of literals whose variables are set to something else, too.
func (l *literalUses) settle() {
	for lit, name := range l.names {
		if l.set[name] {
			lit.calls, lit.passed = 0, false
			continue
		}
		for _, call := range l.calls[lit] {
			l.in.called[call] = lit
		}
	}
}

// callLiteral is call for one of a literal. It is charged with what the literal costs, up to gc.ClosureBudget: no more than another call here, so
// that what may be inlined is taken for that.
func (in *inliner) callLiteral(lit *function) int {
	in.estimate(lit)
	return min(lit.cost, gc.CallCost)
}

// keeps reports whether the literal is to cost the compiler no more than in the plain program: it is called where a function around
// it may be inlined that its cost is a part of, or it is inlined, and what it makes might be on the heap if it were not.
func (fn *function) keeps() bool {
	switch {
	case fn.lit == nil:
		return false
	case fn.calls > 0 && fn.cost <= withSlack(gc.ClosureBudget) && fn.outer.mayBeInlined():
		return true
	case fn.calls > 1:
		return fn.cost <= withSlack(gc.ClosureBudget) && (fn.loops == 0 || fn.makes())
	case fn.calls == 1:
		return fn.cost <= withSlack(gc.OnceBudget) && (fn.loops == 0 || fn.makes())
	}
	if fn.cost > withSlack(gc.OnceBudget) {
		return false
	}
	return fn.passed && (fn.allocates() || fn.makes() && fn.setsOuter()) || fn.iterates() && fn.outgrows(gc.OnceBudget) && fn.makes()
}

// iterates reports whether the function is what a loop may be over.
func (fn *function) iterates() bool {
	if fn.results() || fn.typ.Params.NumFields() != 1 {
		return false
	}
	yield, ok := fn.typ.Params.List[0].Type.(*ast.FuncType)
	if !ok || yield.Results.NumFields() != 1 {
		return false
	}
	result, ok := yield.Results.List[0].Type.(*ast.Ident)
	return ok && result.Name == "bool"
}

// outgrows reports whether markers and the tests in front of them, or a second body, may make a function cost more than the budget.
func (fn *function) outgrows(budget int) bool {
	return 2*fn.cost+testedCost*len(fn.events) > budget
}

// withSlack is a budget with an eighth more, since estimates may be too high.
func withSlack(budget int) int { return budget + budget/8 }

// mayBeInlined reports whether the compiler may inline the function somewhere, as far as its cost is known.
func (fn *function) mayBeInlined() bool {
	if fn.lit != nil {
		return fn.cost <= withSlack(gc.OnceBudget)
	}
	return fn.cost <= openBudget
}

// makes reports whether anything in the function may allocate: it calls more than predeclared functions and conversions to numbers, or makes
// something itself.
func (fn *function) makes() bool {
	found := false
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit, *ast.FuncLit:
			found = true
		case *ast.CallExpr:
			name, ok := ast.Unparen(n.Fun).(*ast.Ident)
			found = found || !ok || allocating[name.Name] || !builtins[name.Name] && !scalarNames[name.Name]
		}
		return !found
	})
	return found
}

// setsOuter reports whether the function assigns to what is declared outside of it, as far as names tell: what it makes may
// go there.
func (fn *function) setsOuter() bool {
	own := map[string]bool{"": true, "_": true} // "": what a pointer that something returns leads to
	for name := range declarations(fn.lit, true) {
		own[name] = true
	}
	found := false
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN {
			for _, x := range a.Lhs {
				found = found || !own[root(x)]
			}
		}
		return !found
	})
	return found
}
