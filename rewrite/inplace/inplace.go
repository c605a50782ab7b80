package inplace

import (
	"bytes"
	"go/token"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/markgen/markgen/rewrite"
)

// Options are the options of Mark.
type Options struct {
	Runtime string            // import path of the runtime, such as github.com/markgen/markgen/runtime/perf
	Root    string            // directory that the table's file names are relative to; "" leaves them as they are
	Dir     string            // directory that relative source names are relative to
	Unit    string            // unit of the package: "", "t" (in-package tests), "x" (external tests)
	Program bool              // the package is main and imports marked packages: main calls Finish even without markers
	Beside  [][]byte          // texts of the package's files in other units; Mark avoids names that they use
	Now     map[string][]byte // current texts by source name; a file that differs only in formatting is kept
}

// Mark returns the marked text of the files of a unit that change, and the generated files
// that declare the markers, by name. Strip removes what was inserted and restores the original
// bytes; Mark verifies that before it returns. Call Find and SetIDs of the unit before.
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
func Mark(u *rewrite.Unit, o Options) (map[string][]byte, error) {
	w := &writer{u: u, o: o, plans: u.Plans()}
	work := len(u.Points) > 0 || o.Program
	texts := o.Beside
	for _, p := range w.plans {
		texts = append(texts[:len(texts):len(texts)], p.Text)
		for _, fn := range p.Functions {
			work = work || len(fn.Events) > 0
		}
	}
	if !work {
		return nil, nil
	}
	w.names = freeNames(o.Runtime, texts...)
	if o.Unit == "t" {
		w.marks = w.testMarks
	}
	groups := w.groups()
	marked := make([][]byte, len(w.plans))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range w.plans {
		g.Go(func() (err error) {
			marked[i], err = w.file(&w.plans[i])
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for i, text := range marked {
		if text != nil {
			out[w.plans[i].Name] = text
		}
	}
	for _, g := range groups {
		out[filepath.Join(filepath.Dir(g.of.Name), g.file)] = w.table(g)
	}
	return out, nil
}

// A writer marks the files of a unit.
type writer struct {
	u     *rewrite.Unit
	o     Options
	plans []rewrite.Plan
	names
	of map[string]*tableGroup // by name of the source
}

// file returns the marked text of a file, or nil if nothing changes: the first from which Strip
// restores the original.
func (w *writer) file(p *rewrite.Plan) ([]byte, error) {
	list := w.insertions(p)
	if len(list) == 0 {
		return nil, nil
	}
	var back []byte
	var err error
	for _, write := range []func([]byte, []insertion) []byte{w.inTree, w.inLines, w.inLine} {
		text := write(p.Text, list)
		if text == nil {
			continue
		}
		if back, err = Strip(p.Name, text); err != nil || !bytes.Equal(back, p.Text) {
			continue
		}
		if now := w.now(p); !bytes.Equal(now, text) && w.reformatted(text, now) {
			text = now
		}
		if p.CRLF {
			text = rewrite.WithReturns(text)
		}
		return text, nil
	}
	return nil, &rewrite.Error{Pos: difference(p, back), What: "what would be inserted here could not be taken out again",
		Remedy: "run gofmt on the file"}
}

// now returns the current text of a file with LF line ends, or nil.
func (w *writer) now(p *rewrite.Plan) []byte {
	text := w.o.Now[p.Name]
	if p.CRLF {
		text, _ = rewrite.WithoutReturns(text)
	}
	return text
}

// difference returns the position in a file at which a text begins to differ.
func difference(p *rewrite.Plan, text []byte) token.Position {
	at := 0
	for at < min(len(text), len(p.Text)) && text[at] == p.Text[at] {
		at++
	}
	start := lineStart(p.Text, at)
	return token.Position{Filename: p.Name, Offset: at, Line: bytes.Count(p.Text[:at], newline) + 1, Column: at - start + 1}
}

var newline = []byte("\n")
