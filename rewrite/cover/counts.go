package cover

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"

	"github.com/markgen/markgen/rewrite/flow"
)

// A Scope is how often a marked piece of code ran: a function, the body of a loop, a branch or a
// block.
type Scope struct {
	Entered uint64
	Open    uint64 // of Entered, those that had not ended when the run did
}

// A Count is how often a block ran. Known is false if that does not follow from the scopes.
type Count struct {
	N     uint64
	Known bool
}

// Counts returns how often each block of a file ran, by index. scope returns what is known of the
// body whose opening brace, or colon in a switch or select, is at a position.
//
// A block that a scope begins with has the count of the scope. The counts of the others follow from
// the flow of control, as if every call returned:
//
//	x := f()      // the function's count n
//	if x > 0 {
//		return x  // the count b of the branch
//	}
//	g()           // n - b
//
// If f panics, calls runtime.Goexit or does not return, g is counted although it does not run. A
// scope that is still open does not reach its end: if none inside it is open, control is taken to be
// behind its last jump.
func Counts(f *ast.File, blocks []Block, scope func(body token.Pos) (Scope, bool)) []Count {
	c := &counter{scope: scope, starts: map[token.Pos]int{}, elseIf: map[*ast.IfStmt]int{}, counts: make([]Count, len(blocks))}
	for i, b := range blocks {
		switch {
		case b.Dead:
			c.counts[i].Known = true
		case b.elseIf != nil:
			c.elseIf[b.elseIf] = i
		default:
			c.starts[b.At] = i
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				c.function(n.Body)
			}
		case *ast.FuncLit:
			c.function(n.Body)
		}
		return true
	})
	return c.counts
}

// A counter computes the counts of a file's blocks, one function at a time.
type counter struct {
	scope  func(body token.Pos) (Scope, bool)
	starts map[token.Pos]int   // blocks by the position of their counter, except implicit ones
	elseIf map[*ast.IfStmt]int // implicit blocks of else if
	counts []Count
	functionCounter
}

// A functionCounter is the part of a counter that is about one function.
type functionCounter struct {
	never   bool           // it has not run
	last    int            // the last number of an unknown
	found   map[int]sum    // counts of blocks
	labels  map[string]sum // how often gotos jump to a label: an unknown
	gotos   map[string]sum // the same, as the sum of the gotos' counts
	targets []*target      // enclosing statements that break and continue may leave
	falls   sum            // how often the fallthrough of the last clause ran
	open    uint64         // open scopes in the scope being walked, without those inside another one
}

// A target is a statement that break or continue may leave.
type target struct {
	label             string
	loop              bool
	breaks, continues sum // how often they run
}

func (c *counter) function(body *ast.BlockStmt) {
	c.functionCounter = functionCounter{found: map[int]sum{}, labels: map[string]sum{}, gotos: map[string]sum{}}
	s, known := c.scope(body.Lbrace)
	c.never = known && s.Entered == 0
	ast.Inspect(body, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			c.labels[b.Label.Name] = c.unknown()
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	c.body(body.Lbrace, body.List, c.unknown())
	solved := c.solve()
	for i, s := range c.found {
		if s = s.with(solved); len(s.of) == 0 && s.n >= 0 {
			c.counts[i] = Count{uint64(s.n), true}
		}
	}
}

// body walks the statements of a body, which is a scope if it is marked. It returns how often the
// body is entered, which is otherwise if it is not marked, and how often control reaches its end.
func (c *counter) body(at token.Pos, list []ast.Stmt, otherwise sum) (entered, out sum) {
	s, known := c.scope(at)
	entered = otherwise
	if known {
		entered = sum{n: int64(s.Entered)}
	}
	around := c.open
	c.open = 0
	// open is how many scopes are open and none inside them is.
	open := func() sum { return sum{n: int64(s.Open - min(s.Open, c.open))} }
	c.starting(at+1, entered)
	out = entered
	for i, stmt := range list {
		c.starting(stmt.Pos(), out)
		if _, jumps := stmt.(*ast.BranchStmt); jumps && i == len(list)-1 {
			out = out.plus(open(), -1)
		}
		out = c.stmt(stmt, out, "")
	}
	if !flow.Ends(list) {
		out = out.plus(open(), -1)
	}
	if known {
		c.open = s.Open
	}
	c.open += around
	return entered, out
}

// starting sets the count of the block that starts at a position, if there is one.
func (c *counter) starting(at token.Pos, n sum) {
	if i, ok := c.starts[at]; ok {
		c.found[i] = n
	}
}

// stmt returns how often control reaches the end of a statement that starts in times.
func (c *counter) stmt(s ast.Stmt, in sum, label string) (out sum) {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		in = in.plus(c.labels[s.Label.Name], 1)
		c.starting(s.Stmt.Pos(), in)
		return c.stmt(s.Stmt, in, s.Label.Name)
	case *ast.ReturnStmt:
		return sum{}
	case *ast.ExprStmt:
		if flow.Ends([]ast.Stmt{s}) {
			return sum{}
		}
	case *ast.BranchStmt:
		c.jump(s, in)
		return sum{}
	case *ast.BlockStmt:
		_, out = c.body(s.Lbrace, s.List, in)
		return out
	case *ast.IfStmt:
		return c.ifStmt(s, in)
	case *ast.ForStmt:
		return c.loop(s.Body, in, label, s.Cond == nil)
	case *ast.RangeStmt:
		return c.loop(s.Body, in, label, false)
	case *ast.SwitchStmt:
		return c.clauses(s.Body, in, label, false)
	case *ast.TypeSwitchStmt:
		return c.clauses(s.Body, in, label, false)
	case *ast.SelectStmt:
		return c.clauses(s.Body, in, label, true)
	}
	return in
}

func (c *counter) jump(s *ast.BranchStmt, n sum) {
	switch s.Tok {
	case token.FALLTHROUGH:
		c.falls = n
		return
	case token.GOTO:
		c.gotos[s.Label.Name] = c.gotos[s.Label.Name].plus(n, 1)
		return
	}
	for _, t := range slices.Backward(c.targets) {
		switch {
		case s.Label != nil && s.Label.Name != t.label:
		case s.Tok == token.BREAK:
			t.breaks = t.breaks.plus(n, 1)
			return
		case t.loop:
			t.continues = t.continues.plus(n, 1)
			return
		}
	}
}

func (c *counter) ifStmt(s *ast.IfStmt, in sum) (out sum) {
	then, out := c.body(s.Body.Lbrace, s.Body.List, c.unknown())
	otherwise := in.plus(then, -1)
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		_, otherwise = c.body(e.Lbrace, e.List, otherwise)
	case *ast.IfStmt:
		if i, ok := c.elseIf[e]; ok {
			c.found[i] = otherwise
		}
		otherwise = c.ifStmt(e, otherwise)
	}
	return out.plus(otherwise, 1)
}

// loop is stmt for a loop. It is left by break, or when its condition does not hold: as often as it
// starts, less the iterations that neither reach their end nor break nor continue.
func (c *counter) loop(body *ast.BlockStmt, in sum, label string, endless bool) (out sum) {
	t := &target{label: label, loop: true}
	c.targets = append(c.targets, t)
	entered, end := c.body(body.Lbrace, body.List, c.unknown())
	c.targets = c.targets[:len(c.targets)-1]
	if endless {
		return t.breaks
	}
	return in.plus(entered, -1).plus(end, 1).plus(t.continues, 1).plus(t.breaks, 1)
}

// clauses is stmt for a switch or select. complete is true for a select, one of whose clauses always
// runs.
func (c *counter) clauses(body *ast.BlockStmt, in sum, label string, complete bool) (out sum) {
	t := &target{label: label}
	c.targets = append(c.targets, t)
	c.falls = sum{}
	for _, clause := range body.List {
		var at token.Pos
		var list []ast.Stmt
		switch clause := clause.(type) {
		case *ast.CaseClause:
			at, list, complete = clause.Colon, clause.Body, complete || clause.List == nil
		case *ast.CommClause:
			at, list = clause.Colon, clause.Body
		}
		fallen := c.falls
		entered, end := c.body(at, list, c.unknown())
		if !fallsThrough(list) {
			c.falls = sum{}
		}
		in = in.plus(entered, -1).plus(fallen, 1)
		out = out.plus(end, 1)
	}
	c.targets = c.targets[:len(c.targets)-1]
	if !complete {
		out = out.plus(in, 1)
	}
	return out.plus(t.breaks, 1)
}

// A sum is n plus multiples of unknowns.
type sum struct {
	n  int64
	of map[int]int64 // factors, by the number of the unknown; none is 0
}

// unknown returns a new unknown, which is 0 if the function has not run.
func (c *counter) unknown() sum {
	if c.never {
		return sum{}
	}
	c.last++
	return sum{of: map[int]int64{c.last: 1}}
}

// plus returns s + times*other.
func (s sum) plus(other sum, times int64) sum {
	s.n += times * other.n
	if len(other.of) == 0 {
		return s
	}
	of := maps.Clone(s.of)
	if of == nil {
		of = map[int]int64{}
	}
	for u, factor := range other.of {
		if of[u] += times * factor; of[u] == 0 {
			delete(of, u)
		}
	}
	s.of = of
	return s
}

// with returns s with the unknowns replaced that are solved.
func (s sum) with(solved map[int]sum) sum {
	for u, factor := range s.of {
		if is, ok := solved[u]; ok {
			s = s.plus(sum{of: map[int]int64{u: 1}}, -factor).plus(is, factor)
		}
	}
	return s
}

// solve solves the equations between what gotos and labels count. An equation from which its
// unknowns vanish, as that of a loop left only by return, tells nothing.
func (c *counter) solve() map[int]sum {
	solved := map[int]sum{}
	for _, label := range slices.Sorted(maps.Keys(c.labels)) {
		zero := c.gotos[label].plus(c.labels[label], -1).with(solved)
		for _, u := range slices.Sorted(maps.Keys(zero.of)) {
			factor := zero.of[u]
			if factor != 1 && factor != -1 {
				continue
			}
			is := zero.plus(sum{of: map[int]int64{u: 1}}, -factor)
			is = sum{}.plus(is, -factor)
			for other, s := range solved {
				solved[other] = s.with(map[int]sum{u: is})
			}
			solved[u] = is
			break
		}
	}
	return solved
}

// fallsThrough reports whether a clause has a fallthrough.
func fallsThrough(body []ast.Stmt) bool {
	for _, s := range body {
		for l, ok := s.(*ast.LabeledStmt); ok; l, ok = s.(*ast.LabeledStmt) {
			s = l.Stmt
		}
		if b, ok := s.(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
			return true
		}
	}
	return false
}
