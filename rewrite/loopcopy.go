package rewrite

import (
	"go/ast"
	"go/token"
)

// In a function with one body, each scope has a test at both ends, which in a short loop may take
// most of the time. So loops of such a function are duplicated, with one test before the loop:
//
//	for i := range n { if on { open }; x += i; if on { shut } }
//
//	if on { for i := range n { open; x += i; shut } } else { for i := range n { x += i } }
//
// It does not happen in a function whose scopes follow changes while it runs (function.follows).

// A double is a duplicated loop.
type double struct {
	loop     ast.Stmt
	from, to int             // byte offsets of the statement
	inside   map[*Point]bool // points with scopes in the loop
}

// findDoubles returns the outermost loops to duplicate. A loop is not duplicated if
//
//   - it has a label, declares types, defers calls, or has function literals;
//   - it has the first append to a slice which may start on the stack;
//   - it pauses or resumes collection, which scopes after it must follow;
//   - it returns from a function with defers, which become slower if there are many returns;
//   - the function would become too long.
func (fn *function) findDoubles() (found []*double) {
	if fn.noTestBefore || fn.follows || fn.file.cgo || fn.file.lineDirs ||
		fn.form == formTwin || fn.copied || fn.form == formOpen && fn.small() {
		return nil
	}
	copied, labelled := []ast.Stmt(nil), map[ast.Stmt]bool{}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.LabeledStmt: // its body has jumps to the label
			labelled[n.Stmt] = true
		case *ast.ForStmt:
			body = n.Body
		case *ast.RangeStmt:
			body = n.Body
		}
		if body == nil || !fn.holds(body) {
			return true
		}
		loop := n.(ast.Stmt)
		if labelled[loop] || !fn.copyable(loop) || fn.startsSlice(loop) || !fn.roomFor(append(copied, loop)...) {
			return true
		}
		b := &double{loop: loop, from: fn.file.offset(loop.Pos()), to: fn.file.offset(loop.End()), inside: map[*Point]bool{}}
		for _, e := range fn.events {
			switch {
			case !b.has(e.at):
			case e.op == OpEnter || e.op == OpPoint:
				b.inside[e.point] = true
			case e.op == OpPause || e.op == OpResume:
				return true
			}
		}
		copied, found = append(copied, loop), append(found, b)
		return false
	})
	return found
}

// copyable reports whether a loop can be duplicated, judging by its statements.
func (fn *function) copyable(loop ast.Stmt) bool {
	is := true
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt, *ast.FuncLit, *ast.DeferStmt:
			is = false
		case *ast.ReturnStmt:
			is = is && fn.defers == 0
		case *ast.GenDecl:
			is = is && n.Tok != token.TYPE
		}
		return is
	})
	return is
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
		e.insert(b.from, " if "+test+" {"+w.copied(copied, b.from, b.to)+" } else {"+lineAt(fn.file, b.from))
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
