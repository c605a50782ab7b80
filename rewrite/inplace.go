package rewrite

import (
	"bytes"
	"go/format"
	"go/token"
	"path/filepath"
)

// InPlace says how source is marked for people to keep.
type InPlace struct {
	Runtime string            // import path of the runtime, such as github.com/markgen/markgen/runtime
	Root    string            // directory that the table's file names are relative to; "" keeps them
	Dir     string            // directory that the names of the sources are relative to, where they are not absolute
	Unit    string            // which unit of the package this is: "", "t" (in-package tests), "x" (external tests)
	Program bool              // the package is main, and what it imports has markers: its end is to be seen also where it has none
	Beside  [][]byte          // texts of the package's files in other units: names that they use are not used
	Now     map[string][]byte // the files as they are, by the names of the sources: what is marked and formatted otherwise stays
}

// InPlace writes the marked text of the files that change, and the generated
// files that declare the markers. What is inserted are whole lines, indented as
// their neighbours are, or, in lines that hold more than one statement,
// statements in the line; Strip takes all of it out again and returns the
// original bytes, which is made sure of here before anything is returned. A source
// that gofmt would leave as it is stays so.
//
// A function that has one scope, its own, opens it with
//
//	if perf.On {
//		defer perf.Enter(&perfmarks.Parse).Exit()
//	}
//
// where perf.On is a constant, false under the build tag markgen_off. One with
// more declares them all and defers their end once:
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
// The main function of a program also defers perf.Finish(), first, so that it
// runs last. Where it has no marker, it has a table that has none.
//
// The body of a function on one line is broken up. A comment //perf:line behind
// its brace tells Strip so.
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

// steers reports whether something is planted without there being a marker.
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

// markedText is the marked text of a file.
type markedText struct {
	text  []byte
	plain []byte // before it was formatted; the lines are the same
	edits []edit // that led to plain, in order
	now   []byte // what is kept instead of text, the same code formatted otherwise; nil: nothing

	byLines bool           // everything stands on lines of its own, none next to an aligned comment, but in alone
	alone   []alignedGroup // were formatted
}

// marked makes the edits.
func (e *edits) marked() *markedText {
	m := &markedText{edits: e.sorted(), plain: e.apply(0, len(e.text))}
	m.text = m.plain
	return m
}

// file returns the marked text of a file, or nil if nothing changes. It goes
// from the prettiest way to the one that can always be taken back, and takes
// the first that Strip takes back.
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

// lines puts every piece on lines of its own, or returns nil if that cannot be
// done without touching other lines.
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

// broken is for source as gofmt writes it: function bodies on one line that get
// something are broken up, and alignment is set right.
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

// alignedAt reports whether an edit puts a line between two whose comments may be
// aligned, or one below another.
func alignedAt(text []byte, d edit) bool {
	return d.from > 0 && hasComment(text, d.from-1) && (hasComment(text, d.from) || d.comment)
}

// inLine puts pieces on lines of their own where it can and into the line where
// it cannot.
func (w *inPlaceWriter) inLine(f *file, pieces []piece) *markedText {
	return w.inLineWith(w.importLines, f, pieces)
}

// apart is inLine where imports are written in a way that another could not be put among them and taken out again.
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

// plainly puts everything into the lines that are there, in a way that gofmt
// would not leave: Strip formats what it returns if the marked text was as
// gofmt writes it, and the original was not.
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
