package rewrite

import (
	"bytes"
	"go/format"
	"go/token"
	"path/filepath"
)

// InPlace has the options of Unit.InPlace.
type InPlace struct {
	Runtime string            // import path of the runtime, such as github.com/markgen/markgen/runtime
	Root    string            // directory that the table's file names are relative to; "" leaves them as they are
	Dir     string            // directory that relative source names are relative to
	Unit    string            // unit of the package: "", "t" (in-package tests), "x" (external tests)
	Program bool              // the package is main and imports marked packages: main calls Finish even without markers
	Beside  [][]byte          // texts of the package's files in other units; InPlace avoids names that they use
	Now     map[string][]byte // current texts by source name; a file that differs only in formatting is kept
}

// InPlace returns the marked text of the files that change, and the generated files
// that declare the markers, by name. It inserts whole lines, indented like their
// neighbours, or, in lines with more than one statement, statements within the line.
// Strip removes them and restores the original bytes; InPlace verifies that before it
// returns. If a source is formatted as gofmt does, the marked text is too.
//
// A function with one scope, its own, opens it with
//
//	if perf.On {
//		defer perf.Enter(&perfmarks.Parse).Exit()
//	}
//
// where perf.On is a constant, false under the build tag markgen_off. A function with
// more scopes declares an array of them and defers one call that closes all:
//
//	var perfs [2]perf.Scope
//	if perf.On {
//		defer perf.Close(perfs[:])
//	}
//	perfs[0].Enter(&perfmarks.Parse)
//	for … {
//		perfs[1].Enter(&perfmarks.ParseFor1)
//		…
//		perfs[1].Exit()
//	}
//
// The main function of a program also defers perf.Finish(), first, so that it runs
// last. If the package has no markers, it gets a table without markers.
//
// A function body on one line is broken into several, with the comment //perf:line
// after its opening brace, which tells Strip to join the lines again.
func (u *Unit) InPlace(o InPlace) (map[string][]byte, error) {
	if len(u.Points) == 0 && !u.steers() && !o.Program {
		return nil, nil
	}
	texts := o.Beside
	for _, f := range u.files {
		texts = append(texts[:len(texts):len(texts)], f.Text)
	}
	w := &inPlaceWriter{u: u, o: o, names: freeNames(texts...)}
	if o.Unit == "t" {
		w.marks = w.testMarks
	}
	groups, of := w.groups()
	w.of = of
	out := map[string][]byte{}
	for _, f := range u.files {
		m, err := w.file(f)
		if err != nil {
			return nil, err
		}
		if m == nil {
			continue
		}
		now := o.Now[f.Name]
		if f.returns {
			now, _ = withoutReturns(now)
		}
		if len(now) > 0 && !bytes.Equal(now, m.text) {
			w.reformatted(m, now)
		}
		if out[f.Name] = m.text; m.now != nil {
			out[f.Name] = m.now
		}
		if f.returns {
			out[f.Name] = withReturns(out[f.Name])
		}
	}
	for _, g := range groups {
		out[filepath.Join(filepath.Dir(g.of.Name), g.file)] = w.table(g)
	}
	return out, nil
}

// steers reports whether the unit has events. Without markers, these are pauses and resumes.
func (u *Unit) steers() bool {
	for _, f := range u.files {
		for _, fn := range f.functions {
			if len(fn.events) > 0 {
				return true
			}
		}
	}
	return false
}

type inPlaceWriter struct {
	u *Unit
	o InPlace
	names
	of map[*file]*tableGroup
}

// A markedText is the marked text of a file.
type markedText struct {
	text  []byte
	plain []byte // text before formatting; the lines are the same
	edits []edit // edits that produce plain from the original, sorted
	now   []byte // if not nil, the current text of the file, which is kept: the same code, formatted otherwise

	byLines bool           // outside alone, all insertions are whole lines not next to an aligned comment
	alone   []alignedGroup // groups that were formatted
}

// marked applies the edits.
func (e *edits) marked() *markedText {
	m := &markedText{edits: e.sorted(), plain: e.apply(0, len(e.text))}
	m.text = m.plain
	return m
}

// file returns the marked text of a file, or nil if nothing changes. It tries several
// ways, from the prettiest to the most reliable, and returns the first result from which
// Strip restores the original.
func (w *inPlaceWriter) file(f *file) (*markedText, error) {
	var pieces []piece
	for _, fn := range f.functions {
		pieces = append(pieces, w.function(fn)...)
	}
	if len(pieces) == 0 {
		return nil, nil
	}
	for _, plan := range []func(*file, []piece) *markedText{w.lines, w.broken, w.inLine, w.apart, w.plainly} {
		if m := plan(f, pieces); m != nil && w.restores(f, m) {
			return m, nil
		}
	}
	return nil, &Error{token.Position{Filename: f.Name, Line: 1, Column: 1},
		"what would be inserted here could not be taken out again", "run gofmt on the file"}
}

// lines puts every piece on lines of its own. It returns nil if other lines would have to change.
func (w *inPlaceWriter) lines(f *file, pieces []piece) *markedText {
	e := &edits{text: f.Text}
	if !w.importLines(e, f) {
		return nil
	}
	for _, p := range pieces {
		if !p.ownLines(e) {
			return nil
		}
	}
	for _, d := range e.list {
		if alignedAt(f.Text, d) {
			return nil
		}
	}
	m := e.marked()
	m.byLines = true
	return m
}

// broken puts every piece on lines of its own in a gofmt'ed source: it breaks function bodies on
// one line that get a piece, and realigns comments. It returns nil if that is not possible.
func (w *inPlaceWriter) broken(f *file, pieces []piece) *markedText {
	r := &aligner{f: f, groups: declGroups(f.Text, f.ast, f.offset)}
	places := sortedPlaces(pieces)
	for _, fn := range f.functions {
		if f.oneLine(fn.body, places) && !r.touch(f.offset(fn.body.Lbrace)) {
			return nil
		}
	}
	e := &edits{text: f.Text}
	if !w.importLines(e, f) {
		return nil
	}
	imports := len(e.list)
	rest := f.breakLines(e, pieces, places)
	lines := len(e.list)
	for _, p := range rest {
		if !p.ownLines(e) {
			return nil
		}
	}
	for i, d := range e.list {
		if i < imports || i >= lines {
			if alignedAt(f.Text, d) && !r.touch(d.from) {
				return nil
			}
		}
	}
	m := e.marked()
	if !r.align(m) {
		return nil
	}
	return m
}

// alignedAt reports whether an edit inserts a line between two lines whose comments may be aligned,
// or a line with a comment below a line with one.
func alignedAt(text []byte, d edit) bool {
	return d.from > 0 && hasComment(text, d.from-1) && (hasComment(text, d.from) || d.comment)
}

// inLine puts pieces on lines of their own where possible, and within lines elsewhere.
func (w *inPlaceWriter) inLine(f *file, pieces []piece) *markedText {
	return w.inLineWith(w.importLines, f, pieces)
}

// apart is inLine with the import in a declaration of its own, for imports among which another
// cannot be inserted and removed again.
func (w *inPlaceWriter) apart(f *file, pieces []piece) *markedText {
	return w.inLineWith(w.importApart, f, pieces)
}

func (w *inPlaceWriter) inLineWith(importing func(*edits, *file) bool, f *file, pieces []piece) *markedText {
	e := &edits{text: f.Text}
	if !importing(e, f) {
		w.importInLine(e, f, " ")
	}
	for _, p := range pieces {
		if !p.ownLines(e) {
			p.inLine(e)
		}
	}
	return e.marked()
}

// plainly puts all pieces within existing lines, in a text that is not gofmt'ed: Strip would format
// its result if the marked text were, while the original is not.
func (w *inPlaceWriter) plainly(f *file, pieces []piece) *markedText {
	e := &edits{text: f.Text}
	w.importInLine(e, f, "  ")
	for _, p := range pieces {
		p.inLine(e)
	}
	return e.marked()
}

// formatted reports whether gofmt would leave the source as it is.
func formatted(src []byte) bool {
	text, err := format.Source(src)
	return err == nil && bytes.Equal(text, src)
}
