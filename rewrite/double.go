package rewrite

import (
	"go/ast"
	"go/token"
)

// Where a function has one body, its scopes have tests at both ends. In a loop these may be most of what there is to do. So loops of
// such a function are there twice, as the bodies of others are, and choose where they begin. Where scopes follow what is turned on and off
// while the function runs, only brief loops are: those that call nothing and wait for nothing, and are over soon.

// A double is a loop that is there twice.
type double struct {
	loop     ast.Stmt
	from, to int             // the statement, as byte offsets
	inside   map[*Point]bool // whose scopes are in it
}

// findDoubles finds the outermost loops that are to be there twice.
func (fn *function) findDoubles(u *Unit) (found []*double) {
	if fn.called || fn.file.cgo || fn.file.lineDirs {
		return nil
	}
	follows := fn.follows && !fn.atTop()
	switch {
	case follows:
		// Nothing is longer that the compiler may inline, and that has results: what it returns would be on the heap.
		if fn.small() || fn.results() && fn.inline && fn.cost <= openBudget {
			return nil
		}
	case fn.form != formGuarded:
		return nil
	}
	channels := u.lasting().channels
	growing := fn.growing()
	labelled := map[ast.Stmt]bool{}
	size, all, ways := fn.size, 0, len(fn.ways) // with the copies
	ast.Inspect(fn.body, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.LabeledStmt: // jumps to it are in its body
			labelled[n.Stmt] = true
		case *ast.ForStmt:
			if !follows || n.Cond != nil || hasWayOut(n.Body) {
				body = n.Body
			}
		case *ast.RangeStmt:
			if !follows || (n.Value != nil || !channels[lastName(n.X)]) && !fn.rangesGiven(n) {
				body = n.Body
			}
		}
		if body == nil || !fn.holds(body, false) {
			return true
		}
		loop := n.(ast.Stmt)
		if calls, _ := fn.meets(loop); calls && follows || labelled[loop] || !copyable(loop) {
			return true
		}
		for _, s := range growing { // there the compiler has it begin on the stack, and in no other place
			if loop.Pos() < s.first.Pos() && s.first.Pos() < loop.End() {
				return true
			}
		}
		if all == 0 {
			all = nodes(fn.body) + markNodes*len(fn.events)
		}
		length, more, again := int(loop.End()-loop.Pos()), nodes(loop), fn.returnsIn(loop)
		if size+length > maxTwin || all+more > bigNodes || !fn.explicit && again > 0 && (ways+again)*(fn.defers+1) > maxWays {
			return true
		}
		b := &double{loop: loop, from: fn.file.offset(loop.Pos()), to: fn.file.offset(loop.End()), inside: map[*Point]bool{}}
		for _, e := range fn.events {
			switch {
			case !b.has(e.at):
			case e.op == opEnter || e.op == opPoint:
				b.inside[e.point] = true
			case e.op == opPause || e.op == opResume: // what is behind follows
				return true
			}
		}
		size, all, ways = size+length, all+more, ways+again
		found = append(found, b)
		return false
	})
	return found
}

// copyable says whether a loop can be there twice: it is short, defers nothing, and has neither labels nor types nor function literals.
func copyable(loop ast.Stmt) bool {
	is := loop.End()-loop.Pos() <= maxTwin
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt, *ast.FuncLit, *ast.DeferStmt:
			is = false
		case *ast.GenDecl:
			is = is && n.Tok != token.TYPE
		}
		return is
	})
	return is
}

// returnsIn is how many returns of the function are in a statement.
func (fn *function) returnsIn(s ast.Stmt) (n int) {
	for _, w := range fn.ways {
		if s.Pos() <= w.stmt.Pos() && w.stmt.Pos() < s.End() {
			n++
		}
	}
	return n
}

// has says whether a place is in the loop; what is planted in front of it or behind is not.
func (b *double) has(at int) bool { return b != nil && b.from < at && at < b.to }

// double is the loop that is there twice and that a place is in, or nil.
func (fn *function) double(at int) *double {
	for _, b := range fn.doubles {
		if b.has(at) {
			return b
		}
	}
	return nil
}

// doubled plants a function: first what is in no double, then what is in both copies of each. plant plants what is in one copy, w.double being
// the loop, nil for none, and w.marks whether that is the marked copy. test is true where it is the marked one that runs.
func (w *overlayWriter) doubled(e *edits, fn *function, test string, plant func(e *edits)) {
	for _, b := range fn.doubles {
		e.insert(b.to, " }") // in front of what else is there
	}
	plant(e)
	for _, b := range fn.doubles {
		copied := &edits{text: e.text, file: fn.file}
		w.double, w.marks = b, true
		plant(copied)
		w.wrapRecovers(copied, fn.file, b.loop)
		w.marks = false
		plant(e)
		w.double = nil
		e.insert(b.from, " if "+test+" {"+string(copied.apply(b.from, b.to))+" } else {"+lineAt(fn.file, b.from))
	}
}

// inDouble says whether a point's scope is in the loop that is being planted twice.
func (w *overlayWriter) inDouble(p *Point) bool { return w.double != nil && w.double.inside[p] }

// planted are the points of which something is planted: in the second copy of a loop none of the loop's, and none at all if a variable has
// chosen between the two.
func (w *overlayWriter) planted(points []*Point) (list []*Point) {
	for _, p := range points {
		if w.marks || !w.inDouble(p) && (w.double == nil || w.passed != variable) {
			list = append(list, p)
		}
	}
	return list
}
