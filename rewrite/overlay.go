package rewrite

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// Overlay has the options of Unit.Overlay.
type Overlay struct {
	Runtime string // import path of the runtime, such as markgen/perf
	Root    string // directory that the table's file names are relative to; "" leaves them as they are
	Unit    string // distinguishes the units of one package in generated names: "", "t" (in-package tests), "x" (external tests)

	// Recovers is set if a panic that this unit recovers may end scopes of another unit, such as
	// the package under test. Calls of recover are then wrapped even if this unit has no markers.
	Recovers bool
}

// Overlay returns the marked text of the files that change, by name. Every statement
// keeps its line; where code is duplicated, a line directive maps the second copy
// back to the original lines.
func (u *Unit) Overlay(o Overlay) (map[string][]byte, error) {
	marked := len(u.timed)+len(u.counts)+len(u.blocks) > 0
	if !marked && !o.Recovers {
		return nil, nil
	}
	w := &overlayWriter{u: u, o: o, prefix: u.freePrefix()}
	w.perf, w.m, w.c = w.prefix+"perf", w.prefix+o.Unit+"m", w.prefix+o.Unit+"c"
	w.s, w.on, w.own = w.prefix+"s", w.prefix+"on", w.prefix+"own"
	w.t, w.l = w.prefix+o.Unit+"t", w.prefix+o.Unit+"l"
	w.nothing = FreePrefix + w.prefix + o.Unit
	u.numberTallies()
	w.recovers = u.Recovers() || o.Recovers && !u.redeclares("recover")
	out := map[string][]byte{}
	var head *file // nil without markers: there is nothing to register
	if marked {
		head = u.headFile()
	}
	for _, f := range u.files {
		if text := w.file(f, f == head); text != nil {
			out[f.Name] = text
		}
	}
	return out, nil
}

// Recovers reports whether a panic that the unit recovers may end scopes of the unit: it has timed
// markers, and recover is the predeclared function.
func (u *Unit) Recovers() bool {
	return len(u.timed) > 0 && !u.redeclares("recover")
}

// freePrefix returns the prefix of all planted names. It occurs nowhere in the unit's files.
func (u *Unit) freePrefix() string {
	prefix := "markgen_"
	for n := 1; ; n++ {
		taken := false
		for _, f := range u.files {
			taken = taken || bytes.Contains(f.Text, []byte(prefix))
		}
		if !taken {
			return prefix
		}
		prefix = "markgen" + strconv.Itoa(n) + "_"
	}
}

// headFile returns the file that registers the table: the first one that the compiler gets, since
// its variables are initialised first. The cgo tool's files are compiled after the others.
func (u *Unit) headFile() *file {
	for _, f := range u.files {
		if !f.cgo {
			return f
		}
	}
	return u.files[0]
}

type overlayWriter struct {
	u            *Unit
	o            Overlay
	prefix       string
	perf, m, c   string  // names of the import, the markers and the counters
	s, on        string  // names of a function's scopes, and of the variable "markers are on"
	own          string  // name of the variable of a marked copy for the counters that it used last
	t, l         string  // names of the tallies, and of the last-used counters by function
	nothing      string  // name of the variable that is free to assign to; see FreePrefix
	passed       bool    // the code being planted runs only if its function's gate is open
	double       *double // the duplicated loop being planted, or nil
	marks        bool    // the marked copy of double is being planted
	noTestBefore bool    // function.noTestBefore of the function being planted
	tallyIndex   int     // function.tallyIndex, its index in l
	recovers     bool    // recover is the predeclared function, and calls of it are wrapped
}

// FreePrefix is the prefix of zero-size variables to which planted calls are assigned:
//
//	free_markgen_x[0] = perf.Open(&m[1])
//
// The inliner does not charge for assignments to coverage counters, whose prefix
// it reads from the file given by -coveragecfg (isIndexingCoverageCounter in
// cmd/compile/internal/inline/inl.go). With this prefix there, markers do not change
// what is inlined.
const FreePrefix = "free_markgen_"

// file returns the marked text of a file, or nil if nothing changes.
func (w *overlayWriter) file(f *file, head bool) []byte {
	e := &edits{text: f.bare(), file: f}
	for _, fn := range f.functions {
		w.function(e, fn)
	}
	w.wrapRecovers(e, f, f.ast)
	if len(e.list) == 0 && !head {
		return nil
	}
	clause := f.offset(f.ast.Name.End())
	e.insert(clause, "; import "+w.perf+" "+strconv.Quote(w.o.Runtime))
	if head {
		end := clause
		for _, d := range f.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.IMPORT {
				break
			}
			end = f.offset(g.End())
		}
		e.insert(end, w.register())
	}
	return without(e.apply(0, len(f.Text)))
}

// register returns the declarations of the unit's markers and counters and the call that registers
// them. It is the first initialiser of the package and depends on no other, so that the order of
// the user's initialisers is unchanged.
func (w *overlayWriter) register() string {
	var b strings.Builder
	// Arrays have at least one element, so that &x[0] can be passed: the user may have redeclared
	// nil.
	ref := func(name, kind string, n int) string {
		fmt.Fprintf(&b, "; var %s [%d]%s.%s", name, max(n, 1), w.perf, kind)
		return "&" + name + "[0]"
	}
	nm, nc := len(w.u.timed), len(w.u.counts)+len(w.u.blocks)
	m, call := "", "RegisterPadded("
	if nm > 0 {
		fmt.Fprintf(&b, "; var %s [%d + 2*%s.MarkerPad]%s.Marker", w.m, nm, w.perf, w.perf)
		m = "&" + w.marker(0)
	} else {
		m, call = ref(w.m, "Marker", nm), "Register("
	}
	c := ref(w.c, "Counter", nc)
	if w.u.inline {
		none := "&" + w.perf + ".NoOwn, "
		fmt.Fprintf(&b, "; var %s %s.Tallies; var %s = [...]*%s.Own{%s}", w.t, w.perf, w.l, w.perf, strings.Repeat(none, w.u.counting))
		call = "RegisterTallies(&" + w.t + ", " + w.l + "[:], "
	}
	if w.u.inline {
		fmt.Fprintf(&b, "; var %s [1]%s.Nothing", w.nothing, w.perf)
	}
	last, end := "", ""
	if w.u.Name == "main" {
		last, end = w.perf+".Last(", ")"
	}
	fmt.Fprintf(&b, "; var _ = %s%s.%s%s, %d, %s, %d, %s)%s", last, w.perf, call, m, nm, c, nc, quote(w.u.table(w.o.Root)), end)
	return b.String()
}

// function plants the events of one function in the form chosen for it.
func (w *overlayWriter) function(e *edits, fn *function) {
	f := fn.file
	start, end := f.offset(fn.body.Lbrace)+1, f.offset(fn.body.Rbrace)
	w.noTestBefore, w.tallyIndex = fn.noTestBefore, fn.tallyIndex
	switch fn.form {
	case formNone:
	case formCount:
		w.counts(e, fn, start)
	case formOpen:
		w.openNamed(e, e, fn, start, end, false)
	case formTwin:
		w.twin(e, fn, "", func(copied *edits) { w.openNamed(copied, e, fn, start, end, true) })
	case formGuarded:
		if fn.copied {
			w.twin(e, fn, w.scopes(fn)+" defer "+w.perf+".Close("+w.s+"[:]);", func(copied *edits) { w.marked(copied, fn, start, "") })
			break
		}
		if fn.follows {
			enter := ""
			if p := fn.point; p != nil && !p.Count {
				enter = w.enterInto(w.s, p, start)
			}
			e.insert(start, " var "+w.s+" "+w.perf+".Scope; if "+w.opens(fn)+" { defer "+w.s+".Leave();"+enter+" };")
			w.openNamed(e, e, fn, start, end, false)
			break
		}
		e.insert(start, w.chosen(fn)+w.scopes(fn)+" if "+w.on+" { defer "+w.perf+".Close("+w.s+"[:]) };")
		w.marked(e, fn, start, w.on)
	}
}

// twin plants a marked copy of the function's body in front of it: begin, and what plant makes of the body.
func (w *overlayWriter) twin(e *edits, fn *function, begin string, plant func(copied *edits)) {
	start, end := fn.file.offset(fn.body.Lbrace)+1, fn.file.offset(fn.body.Rbrace)
	copied := &edits{text: e.text, file: fn.file}
	plant(copied)
	w.renameLabels(copied, fn)
	w.wrapRecovers(copied, fn.file, fn.body)
	from, to := w.ifMarked(fn)
	tail := " "
	if !fn.results() {
		tail = "; return "
	}
	e.insert(start, from+begin+w.copied(copied, start, end)+tail+to+";"+lineAt(fn.file, start))
	w.counts(e, fn, start)
}

// marker returns the expression of the unit's marker i. The array is padded: pages with markers
// have nothing else in them, so that the runtime can map them to the data file.
func (w *overlayWriter) marker(i int) string {
	return fmt.Sprintf("%s[%s.MarkerPad+%d]", w.m, w.perf, i)
}

// ifMarked returns the text before and after a marked body, which runs if the function's gate is
// open and, if a call may take long, the marker is due:
//
//	if open { for perf.Again() {}; … }
//	if open { for perf.Again() {}; if due { … }}
//
// The two tests are nested rather than joined by &&: the compiler would keep the result of && in a
// variable and test that even if the gate is closed. The loop never runs, but puts this code out of
// the way of the unmarked body (perf.Again).
func (w *overlayWriter) ifMarked(fn *function) (from, to string) {
	from = " if " + w.opens(fn) + " { for " + w.perf + ".Again() {};"
	if m := w.gate(fn); m != "" && fn.lengthens() {
		return from + " if " + w.perf + ".IsDue(&" + m + ") {", "}}"
	}
	return from, "}"
}

// chosen declares the variable that tells whether the body runs marked.
func (w *overlayWriter) chosen(fn *function) string {
	text := " " + w.on + " := " + w.opens(fn) + ";"
	if m := w.gate(fn); m != "" && fn.lengthens() {
		text += " if " + w.on + " { " + w.on + " = " + w.perf + ".IsDue(&" + m + ") };"
	}
	return text
}

// opens returns the condition that the function's markers are on.
func (w *overlayWriter) opens(fn *function) string {
	if m := w.gate(fn); m != "" {
		return m + ".Off&" + w.perf + ".Closed == 0"
	}
	return "false"
}

// gate returns the marker that is tested for the whole function, its first timed one, or "".
func (w *overlayWriter) gate(fn *function) string {
	for _, p := range fn.points {
		if p.marker >= 0 {
			return w.marker(p.gate)
		}
	}
	return ""
}

// scopes declares the array of a function's scopes, with an element for each scope that may be open
// at once.
func (w *overlayWriter) scopes(fn *function) string {
	return " var " + w.s + " [" + strconv.Itoa(max(fn.slots, 1)) + "]" + w.perf + ".Scope;"
}

// counts plants counters and the calls of Pause and Resume, but no timed scopes.
func (w *overlayWriter) counts(e *edits, fn *function, start int) {
	if p := fn.point; p != nil && p.Count {
		e.insert(start, w.counted(p.counter))
	}
	for _, ev := range fn.events {
		w.eventOff(e, ev)
	}
}

// eventOff plants an event in the unmarked body: only counters, Pause and Resume.
func (w *overlayWriter) eventOff(e *edits, ev event) {
	switch ev.op {
	case OpCount, opCover, opWrap, opUnwrap, OpPause, OpResume:
		w.event(e, ev, "")
	}
}

// marked plants all events. guard is the variable that the timed ones test, "" for no test.
func (w *overlayWriter) marked(e *edits, fn *function, start int, guard string) {
	if p := fn.point; p != nil {
		if p.Count {
			e.insert(start, w.counted(p.counter))
		} else {
			e.insert(start, w.guarded(w.enterInto(w.s+"[0]", p, start), guard))
		}
	}
	w.doubled(e, fn, guard, func(e *edits) {
		for _, ev := range fn.events {
			switch {
			case fn.double(ev.at) != w.double:
			case w.double == nil:
				w.event(e, ev, guard)
			case w.marks:
				w.event(e, ev, "")
			default:
				w.eventOff(e, ev)
			}
		}
	})
}

// event plants one event.
func (w *overlayWriter) event(e *edits, ev event, guard string) {
	var text string
	switch ev.op {
	case OpEnter:
		text = w.guarded(w.enterInto(fmt.Sprintf("%s[%d]", w.s, ev.slot), ev.point, ev.at), guard)
	case OpExit:
		switch ev.n {
		case 0:
			return
		case 1:
			text = fmt.Sprintf(" %s[%d].Exit();", w.s, ev.slot)
			if w.u.inline {
				text = w.uncharged("Exit(&%s[%d])", w.s, ev.slot)
			}
		default:
			text = fmt.Sprintf(" %s.Close(%s[%d:%d]);", w.perf, w.s, ev.slot, ev.slot+ev.n)
		}
		text = w.guarded(text, guard)
	case OpPoint:
		text = w.guarded(fmt.Sprintf(" %s.Point(&%s);", w.perf, w.marker(ev.point.marker)), guard)
	case OpCount:
		text = w.count(ev.point.counter)
	case opCover:
		text = w.tally(ev)
	case opWrap:
		text = "{" + w.tally(ev)
	case opUnwrap:
		text = " }"
	case OpPause:
		text = " " + w.perf + ".Pause();"
	case OpResume:
		text = " " + w.perf + ".Resume();"
	}
	if ev.tail {
		text = ";" + text
	}
	e.insert(ev.at, text+" ")
}

func (w *overlayWriter) guarded(text, guard string) string {
	if guard == "" {
		return text
	}
	return " if " + guard + " {" + text + " };"
}

// enterInto returns the text, planted at an offset, that enters the scope of p, held in the variable
// scope.
func (w *overlayWriter) enterInto(scope string, p *Point, at int) string {
	text := fmt.Sprintf(" %s.Enter(&%s);", scope, w.marker(p.marker))
	if w.u.inline {
		text = w.uncharged("EnterTally(&%s, &%s, &%s, %d)", scope, w.marker(p.marker), w.t, w.demoted(p))
	}
	atSize, atLabel := p.f.errorsAt(p.sizePos), p.f.errorsAt(p.labelAt)
	for _, statement := range p.sizeStatements(scope, w.perf, atSize, atLabel) {
		text += " " + statement + ";"
	}
	if atSize+atLabel != "" {
		text += p.f.lineComment(p.f.tok.Pos(at))
	}
	return text
}

func (w *overlayWriter) count(counter int) string {
	if w.u.inline {
		return w.uncharged("TickTally(&%s[%d], &%s, %[2]d)", w.c, counter, w.t)
	}
	return w.uncharged("Count(&%s[%d])", w.c, counter) // the cheapest call where the inliner charges for it
}

// demoted returns the counter of a demoted marker's scopes. These counters follow those of the table.
func (w *overlayWriter) demoted(p *Point) int { return len(w.u.counts) + len(w.u.blocks) + p.marker }

// copied returns a marked copy of some code, with the variable for the counters that it used last.
func (w *overlayWriter) copied(e *edits, from, to int) string {
	text := string(e.apply(from, to))
	if strings.Contains(text, w.own) {
		return " " + w.own + " := " + w.perf + ".OwnOf(&" + w.t + ");" + text
	}
	return text
}

// counted is count for the point of a function. If no branch may precede the body, it is a call
// that is not inlined.
func (w *overlayWriter) counted(counter int) string {
	switch {
	case w.noTestBefore && w.u.inline:
		return w.uncharged("TickTallyCall(&%s[%d], &%s, %[2]d)", w.c, counter, w.t)
	case w.noTestBefore:
		return w.uncharged("TickCall(&%s[%d])", w.c, counter)
	}
	return w.count(counter)
}

// renameLabels prefixes the labels of a copied body, except blank ones: a function's labels are
// unique.
func (w *overlayWriter) renameLabels(e *edits, fn *function) {
	for _, l := range fn.labels {
		if l.Label.Name != "_" {
			e.insert(fn.file.offset(l.Label.Pos()), w.prefix)
		}
	}
	for _, j := range fn.jumps {
		e.insert(fn.file.offset(j.Label.Pos()), w.prefix)
	}
}

// tally counts a basic block. The first block of a function looks up the goroutine's counters; the
// other blocks use the result.
func (w *overlayWriter) tally(ev event) string {
	counter, call := len(w.u.counts)+ev.block, "TallyOn"
	switch {
	case !w.u.inline:
		return w.count(counter)
	case ev.first && w.noTestBefore:
		call = "TallyCall"
	case ev.first:
		call = "Tally"
	}
	return w.uncharged("%s(&%s, &%s[%d], %d)", call, w.t, w.l, w.tallyIndex, counter)
}

// uncharged returns a call of a runtime function, as an assignment that is free to the inliner if
// possible (see FreePrefix).
func (w *overlayWriter) uncharged(call string, args ...any) string {
	call = w.perf + "." + fmt.Sprintf(call, args...) + ";"
	if w.u.inline {
		call = w.nothing + "[0] = " + call
	}
	return " " + call
}
