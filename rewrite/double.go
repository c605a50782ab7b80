package rewrite

import (
	"go/ast"
	"go/token"

	"github.com/markgen/markgen/rewrite/gc"
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
	if fn.called || fn.terse || fn.file.cgo || fn.file.lineDirs {
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
	d := doubler{fn: fn, brief: follows, channels: u.lasting().channels, labelled: map[ast.Stmt]bool{},
		bytes: fn.size, ways: len(fn.ways)}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.LabeledStmt: // jumps to it are in its body
			d.labelled[n.Stmt] = true
		case *ast.ForStmt:
			body = n.Body
		case *ast.RangeStmt:
			body = n.Body
		}
		if body == nil || !fn.holds(body) {
			return true
		}
		b := d.double(n.(ast.Stmt))
		if b != nil {
			found = append(found, b)
		}
		return b == nil
	})
	return found
}

// A doubler decides which loops of a function are to be there twice.
type doubler struct {
	fn       *function
	brief    bool            // no others than brief ones
	channels map[string]bool // see lasting
	labelled map[ast.Stmt]bool

	bytes, nodes, ways int // of the function with the copies; nodes: 0 until they are counted
}

// double is that of a loop, or nil.
func (d *doubler) double(loop ast.Stmt) *double {
	fn := d.fn
	if d.labelled[loop] || d.brief && !d.isBrief(loop) || !copyable(loop) {
		return nil
	}
	if d.nodes == 0 {
		d.nodes = nodes(fn.body) + markNodes*len(fn.events)
	}
	bytes, nodes, ways := int(loop.End()-loop.Pos()), nodes(loop), fn.returnsIn(loop)
	if d.bytes+bytes > maxTwin || d.nodes+nodes > gc.BigNodes || !fn.explicit && ways > 0 && (d.ways+ways)*(fn.defers+1) > gc.OpenDefers {
		return nil
	}
	b := &double{loop: loop, from: fn.file.offset(loop.Pos()), to: fn.file.offset(loop.End()), inside: map[*Point]bool{}}
	for _, e := range fn.events {
		switch {
		case !b.has(e.at):
		case e.op == opEnter || e.op == opPoint:
			b.inside[e.point] = true
		case e.op == opPause || e.op == opResume: // what is behind follows
			return nil
		}
	}
	for _, s := range fn.growing() {
		if fn.file.offset(loop.Pos()) > s.at && (s.startsIn(loop) || s.movedIn(loop)) {
			for p := range b.inside {
				p.Why = s.whyOnce()
			}
			return nil
		}
	}
	d.bytes, d.nodes, d.ways = d.bytes+bytes, d.nodes+nodes, d.ways+ways
	return b
}

// isBrief reports whether a loop calls nothing, waits for nothing, and ends, as far as syntax shows.
func (d *doubler) isBrief(loop ast.Stmt) bool {
	switch loop := loop.(type) {
	case *ast.ForStmt:
		if loop.Cond == nil && !hasWayOut(loop.Body) {
			return false
		}
	case *ast.RangeStmt:
		if loop.Value == nil && d.channels[lastName(loop.X)] || d.fn.rangesGiven(loop) {
			return false
		}
	}
	calls, _ := d.fn.meets(loop)
	return !calls
}

// copyable reports whether a loop can be there twice: it is short, defers nothing, and has neither labels nor types nor function literals.
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

// has reports whether a place is in the loop; what is planted in front of it or behind is not.
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

// inDouble reports whether a point's scope is in the loop that is being planted twice.
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
