package rewrite

import (
	"go/ast"
	"go/token"

	"github.com/markgen/markgen/rewrite/gc"
)

// In a function with one body, each scope has a test at both ends, which in a short loop may take
// most of the time. So loops of such a function are duplicated, with one test before the loop:
//
//	for i := range n { if on { open }; x += i; if on { shut } }
//
//	if on { for i := range n { open; x += i; shut } } else { for i := range n { x += i } }
//
// If the scopes follow changes while the function runs (function.follows), only brief loops are
// duplicated: those that call nothing, wait for nothing, and so end soon.

// A double is a duplicated loop.
type double struct {
	loop     ast.Stmt
	from, to int             // byte offsets of the statement
	inside   map[*Point]bool // points with scopes in the loop
}

// findDoubles returns the outermost loops to duplicate.
func (fn *function) findDoubles(u *Unit) (found []*double) {
	if fn.noTestBefore || fn.fewNodes || fn.file.cgo || fn.file.lineDirs {
		return nil
	}
	follows := fn.follows && !fn.atTop()
	if fn.form == formTwin || fn.form == formOpen && fn.small() {
		return nil
	}
	d := doubler{fn: fn, brief: follows, channels: u.longRunning().channels, labelled: map[ast.Stmt]bool{},
		bytes: fn.size, returns: len(fn.returns)}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.LabeledStmt: // its body has jumps to the label
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

// A doubler decides which loops of a function to duplicate.
type doubler struct {
	fn       *function
	brief    bool            // duplicate only brief loops
	channels map[string]bool // names of channels; see longRunning
	labelled map[ast.Stmt]bool

	bytes, returns int // size of the function with the copies so far, and the number of its returns
}

// double returns the double for a loop, or nil if the loop is not to be duplicated.
func (d *doubler) double(loop ast.Stmt) *double {
	fn := d.fn
	if d.labelled[loop] || d.brief && !d.isBrief(loop) || !copyable(loop) || fn.startsSlice(loop) {
		return nil
	}
	bytes, returns := int(loop.End()-loop.Pos()), fn.returnsIn(loop)
	if d.bytes+bytes > maxTwin || !fn.explicit && returns > 0 && (d.returns+returns)*(fn.defers+1) > gc.OpenDefers {
		return nil
	}
	b := &double{loop: loop, from: fn.file.offset(loop.Pos()), to: fn.file.offset(loop.End()), inside: map[*Point]bool{}}
	for _, e := range fn.events {
		switch {
		case !b.has(e.at):
		case e.op == opEnter || e.op == opPoint:
			b.inside[e.point] = true
		case e.op == opPause || e.op == opResume: // scopes after it must follow the change
			return nil
		}
	}
	d.bytes, d.returns = d.bytes+bytes, d.returns+returns
	return b
}

// isBrief reports whether a loop calls nothing, waits for nothing, and ends, as far as syntax
// shows.
func (d *doubler) isBrief(loop ast.Stmt) bool {
	switch loop := loop.(type) {
	case *ast.ForStmt:
		if loop.Cond == nil && !hasWayOut(loop.Body) {
			return false
		}
	case *ast.RangeStmt:
		if loop.Value == nil && d.channels[lastName(loop.X)] || d.fn.ranges(loop) {
			return false
		}
	}
	calls, _ := d.fn.meets(loop)
	return !calls
}

// copyable reports whether a loop can be duplicated: it is short and has no defers, labels, types
// or function literals.
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

// returnsIn returns the number of the function's returns in a statement.
func (fn *function) returnsIn(s ast.Stmt) (n int) {
	for _, w := range fn.returns {
		if s.Pos() <= w.stmt.Pos() && w.stmt.Pos() < s.End() {
			n++
		}
	}
	return n
}

// has reports whether an offset is in the loop. Code planted right before or after the loop is not.
func (b *double) has(at int) bool { return b != nil && b.from < at && at < b.to }

// double returns the duplicated loop that contains an offset, or nil.
func (fn *function) double(at int) *double {
	for _, b := range fn.doubles {
		if b.has(at) {
			return b
		}
	}
	return nil
}

// doubled plants a function: first the code outside all doubles, then both copies of each double.
// It calls plant with w.double set to the loop, nil for the code outside, and w.marks telling
// whether plant is to write the marked copy. test is the condition for running the marked copy.
func (w *overlayWriter) doubled(e *edits, fn *function, test string, plant func(e *edits)) {
	for _, b := range fn.doubles {
		e.insert(b.to, " }") // before other text at the same offset
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

// inDouble reports whether a point's scope is in the duplicated loop being planted.
func (w *overlayWriter) inDouble(p *Point) bool { return w.double != nil && w.double.inside[p] }

// planted returns the points whose scopes need code at the current place: in the unmarked copy of a
// loop none of the loop's own.
func (w *overlayWriter) planted(points []*Point) (list []*Point) {
	for _, p := range points {
		if w.marks || !w.inDouble(p) {
			list = append(list, p)
		}
	}
	return list
}
