package rewrite

import "go/ast"

// A function whose scopes follow what is turned on and off while it runs has a test at both ends of each. In a loop inside
// that calls nothing and waits for nothing these would be most of what there is to do, and it is over soon: so
// it is there twice, as other functions' bodies are, and chooses where it begins.

// A brief loop is one of those.
type brief struct {
	loop     ast.Stmt
	from, to int             // the statement, as byte offsets
	inside   map[*Point]bool // whose scopes are in it
}

// findBriefs finds the outermost brief loops with scopes in them. There are none in functions that the compiler may inline, and
// that have results: a longer one is not inlined, and what it returns would be on the heap.
func (fn *function) findBriefs(u *Unit) (found []*brief) {
	each := fn.form == formOpen || fn.form == formGuarded && !fn.explicit
	if !fn.follows || !each || fn.called || fn.small() || fn.results() && fn.inline && fn.cost <= openBudget ||
		fn.types || fn.file.cgo || fn.file.lineDirs {
		return nil
	}
	channels := u.lasting().channels
	labelled := map[ast.Stmt]bool{}
	size, all := fn.size, 0 // with the copies
	ast.Inspect(fn.body, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.LabeledStmt: // jumps to it are in its body
			labelled[n.Stmt] = true
		case *ast.ForStmt:
			if n.Cond != nil || hasWayOut(n.Body) {
				body = n.Body
			}
		case *ast.RangeStmt:
			if (n.Value != nil || !channels[lastName(n.X)]) && !fn.rangesGiven(n) {
				body = n.Body
			}
		}
		if body == nil || !fn.holds(body, false) {
			return true
		}
		loop := n.(ast.Stmt)
		if calls, _ := fn.meets(loop); calls || labelled[loop] || !copyable(loop) {
			return true
		}
		if all == 0 {
			all = nodes(fn.body) + markNodes*len(fn.events)
		}
		length, more := int(loop.End()-loop.Pos()), nodes(loop)
		if size+length > maxTwin || all+more > bigNodes {
			return true
		}
		size, all = size+length, all+more
		b := &brief{loop: loop, from: fn.file.offset(loop.Pos()), to: fn.file.offset(loop.End()), inside: map[*Point]bool{}}
		for _, e := range fn.events {
			switch {
			case !b.has(e.at):
			case e.op == opEnter || e.op == opPoint:
				b.inside[e.point] = true
			case e.op == opPause || e.op == opResume: // what is behind follows
				return true
			}
		}
		found = append(found, b)
		return false
	})
	return found
}

// copyable says whether a loop can be there twice: it is short, and has neither labels nor function literals.
func copyable(loop ast.Stmt) bool {
	is := loop.End()-loop.Pos() <= maxTwin
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.LabeledStmt, *ast.FuncLit:
			is = false
		}
		return is
	})
	return is
}

// has says whether a place is in the loop; what is planted in front of it or behind is not.
func (b *brief) has(at int) bool { return b != nil && b.from < at && at < b.to }

// brief is the brief loop that a place is in, or nil.
func (fn *function) brief(at int) *brief {
	for _, b := range fn.briefs {
		if b.has(at) {
			return b
		}
	}
	return nil
}

// twice plants both copies of a brief loop, the marked one first. deferred is as in explicit.
func (w *overlayWriter) twice(e *edits, fn *function, b *brief, deferred *Point) (named bool) {
	copied := &edits{text: e.text, file: fn.file}
	w.brief, w.marks = b, true
	named = w.explicit(copied, fn, deferred)
	w.marks = false
	w.explicit(e, fn, deferred)
	w.brief = nil
	e.insert(b.from, " if "+w.opens(fn)+" {"+string(copied.apply(b.from, b.to))+" } else {"+lineAt(fn.file, b.from))
	return named
}

// inBrief says whether a point's scope is in the brief loop that is being planted.
func (w *overlayWriter) inBrief(p *Point) bool { return w.brief != nil && w.brief.inside[p] }

// planted are the points of which something is planted: all but those in the second copy of a brief loop.
func (w *overlayWriter) planted(points []*Point) (list []*Point) {
	for _, p := range points {
		if w.marks || !w.inBrief(p) {
			list = append(list, p)
		}
	}
	return list
}
