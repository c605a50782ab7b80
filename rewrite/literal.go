package rewrite

import (
	"go/ast"
	"go/token"

	"github.com/markgen/markgen/rewrite/gc"
)

// The compiler inlines function literals that cost more than functions may: up to gc.ClosureBudget
// where it knows which literal is called, and up to gc.OnceBudget if there is only one such call:
//
//	add := func(n int) { list = append(list, &node{n}) }
//	add(1)
//	add(2)
//
// Inlined, what a literal allocates may stay on the stack, and its cost becomes a part of the
// enclosing function's cost. A twin or a guard at the top of the literal would change both.

// testedCost is the approximate cost of a planted call with its argument and the test before it.
const testedCost = 65

// findLiterals sets outer, calls and passed of the literals in the unit's declared functions, and
// in.called.
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

// literalUses collects how a declared function, its literals included, uses the literals.
type literalUses struct {
	in       *inliner
	literals map[*ast.FuncLit]*function
	bound    map[string]*function          // by variable: the literal in its latest declaration
	calls    map[*function][]*ast.CallExpr // calls of a literal through its variable
	names    map[*function]string          // the variable of a literal
	set      map[string]bool               // variables that are assigned again, or whose address is taken
}

// follow collects the uses in the body of fn.
func (l *literalUses) follow(fn *function) {
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if inner := l.literals[n]; inner != nil {
				inner.outer = fn
				l.follow(inner)
			}
			return false
		case *ast.DeferStmt: // a deferred call is not inlined
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

// call records a call and its arguments. places is 1, or -1 for a call that is not inlined, which
// is visited twice: as a statement and as a call.
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

// settle discards what was collected about literals whose variables are assigned again.
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

// callLiteral returns the cost of a call of a literal. The compiler charges the literal's cost, up
// to gc.ClosureBudget. Here it is at most gc.CallCost, to keep the estimate a lower bound.
func (in *inliner) callLiteral(lit *function) int {
	in.estimate(lit)
	return min(lit.cost, gc.CallCost)
}

// keeps reports whether markers must not add to the literal's inlining cost. Either that cost is a
// part of the cost of an enclosing function that may be inlined, or the literal is inlined and what
// it allocates might otherwise escape to the heap.
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

// iterates reports whether the function has the type of an iterator, func(yield func(…) bool).
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

// outgrows reports whether markers with their tests, or a second body, may raise a function's cost
// above the budget.
func (fn *function) outgrows(budget int) bool {
	return 2*fn.cost+testedCost*len(fn.events) > budget
}

// withSlack returns the budget plus one eighth, since estimates may be too high.
func withSlack(budget int) int { return budget + budget/8 }

// mayBeInlined reports whether the compiler may inline the function, judging by its estimated cost.
func (fn *function) mayBeInlined() bool {
	if fn.lit != nil {
		return fn.cost <= withSlack(gc.OnceBudget)
	}
	return fn.cost <= openBudget
}

// makes reports whether the function may allocate: it has a composite or function literal, or a
// call other than of predeclared functions that do not allocate and conversions to numbers.
func (fn *function) makes() bool {
	return fn.makesItself() || fn.contains(func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return false
		}
		name, ok := ast.Unparen(call.Fun).(*ast.Ident)
		return !ok || !builtins[name.Name] && !scalarNames[name.Name]
	})
}

// makesItself reports whether the body makes values: composite ones, function literals, or by
// append, make, new, or a conversion to string.
func (fn *function) makesItself() bool {
	return fn.contains(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit, *ast.FuncLit:
			return true
		case *ast.CallExpr:
			name, ok := ast.Unparen(n.Fun).(*ast.Ident)
			return ok && allocating[name.Name]
		}
		return false
	})
}

// contains reports whether the body contains a node for which is holds.
func (fn *function) contains(is func(ast.Node) bool) (found bool) {
	ast.Inspect(fn.body, func(n ast.Node) bool {
		found = found || n != nil && is(n)
		return !found
	})
	return found
}

// setsOuter reports whether the function assigns to a variable that is declared outside it, judging
// by names. What it allocates may escape through that.
func (fn *function) setsOuter() bool {
	own := map[string]bool{"": true, "_": true} // "": reached through the result of a call
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

// root returns the name of the variable in x, x.f or x[i], or "" for other operands.
func root(x ast.Expr) string {
	if name := rootName(x); name != nil {
		return name.Name
	}
	return ""
}

func rootName(x ast.Expr) *ast.Ident {
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.Ident:
			return y
		case *ast.SelectorExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		default:
			return nil
		}
	}
}
