package rewrite

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// Overlay says how the files of an overlay build are written.
type Overlay struct {
	Runtime string // import path of the runtime, such as markgen/perf
	Root    string // directory that the table's file names are relative to; "" keeps them
	Unit    string // tells the units of one package apart in generated names: "", "t" (in-package tests), "x" (external tests)

	// Recovers says that scopes of another unit, as of the package that tests are of, end
	// where this one recovers a panic, also if it has no markers.
	Recovers bool
}

// Overlay writes the marked text of the files that change. Every statement
// keeps its line, and code that is written twice has the second copy mapped
// back by a line directive.
func (u *Unit) Overlay(o Overlay) (map[string][]byte, error) {
	marked := len(u.timed)+len(u.counts)+len(u.blocks) > 0
	if !marked && !o.Recovers {
		return nil, nil
	}
	w := &overlayWriter{u: u, o: o, prefix: u.freePrefix()}
	w.perf, w.m, w.c = w.prefix+"perf", w.prefix+o.Unit+"m", w.prefix+o.Unit+"c"
	w.s, w.on = w.prefix+"s", w.prefix+"on"
	w.t, w.l = w.prefix+o.Unit+"t", w.prefix+o.Unit+"l"
	w.nothing = FreePrefix + w.prefix + o.Unit
	u.findLasts()
	w.recovers = u.Recovers() || o.Recovers && !u.redeclares("recover")
	out := map[string][]byte{}
	var head *file // there is nothing to register without markers
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

// Recovers tells whether the unit has scopes that end where it recovers a panic: recover is
// the predeclared function in it.
func (u *Unit) Recovers() bool {
	return len(u.timed) > 0 && !u.redeclares("recover")
}

// freePrefix is the start of all names that are planted: one that no file of
// the unit has anywhere.
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

// headFile is the file that registers the table: the compiler's first, whose
// variables are initialised first. The cgo tool's files are compiled after the
// others.
func (u *Unit) headFile() *file {
	for _, f := range u.files {
		if !f.cgo {
			return f
		}
	}
	return u.files[0]
}

type overlayWriter struct {
	u                 *Unit
	o                 Overlay
	prefix            string
	perf, m, c, s, on string  // names: the import, markers, counters, the scopes of a function, whether it is on
	t, l              string  // the tallies, and where functions found their counters last
	nothing           string  // the variable that costs nothing to assign to
	passed            gate    // of what is being planted
	double            *double // the one that is being planted, nil: none
	marks             bool    // the copy of it with scopes is
	called            bool    // no branch may come before the body of what is being planted
	last              int     // where the function that is being planted found its counters last
	untallied         bool    // it counts in calls
	terse             bool    // what is being planted has as few nodes as can be
	recovers          bool    // recover is the predeclared function
}

// FreePrefix begins the names of variables of no size that the calls of inlined
// functions assign to. cmd/cover's counters are such variables: the compiler takes
// no account of assignments to them when it decides what to inline, so that
// counting changes nothing but the counts (isIndexingCoverageCounter in
// cmd/compile/internal/inline/inl.go). It knows them by the prefix that the file
// of its flag -coveragecfg names.
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

// register declares the unit's markers and counters and hands them over. It is
// the first initialiser of the package and needs no other, so the order of the
// user's own is unchanged.
func (w *overlayWriter) register() string {
	var b strings.Builder
	// An array has one element at least: nil may be a name of the user's.
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
	if w.tallies() {
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
	w.called, w.terse, w.untallied, w.last = fn.called, fn.terse, fn.untallied, fn.last
	switch fn.form {
	case formNone:
	case formCount:
		w.counts(e, fn, start)
	case formOpen:
		w.openNamed(e, e, fn, start, end, eachTests)
	case formTwin:
		copied, scopes := &edits{text: e.text, file: f}, ""
		from, to := w.chooses(fn)
		if fn.explicit {
			how := passed
			if fn.framed() {
				how, scopes = framed, w.entered(fn)
			}
			w.openNamed(copied, e, fn, start, end, how)
			from, to = w.choosesBehind(fn, scopes, how)
			scopes = ""
		} else {
			w.marked(copied, fn, start, "")
			scopes = w.deferred(fn)
		}
		w.renameLabels(copied, fn)
		w.wrapRecovers(copied, f, fn.body)
		tail := " "
		if !fn.results() {
			tail = "; return "
		}
		e.insert(start, from+scopes+string(copied.apply(start, end))+tail+to+";"+lineAt(f, start))
		w.counts(e, fn, start)
	case formGuarded:
		if fn.explicit {
			e.insert(start, w.chosen(fn))
			w.openNamed(e, e, fn, start, end, variable)
			break
		}
		if fn.follows {
			enter := ""
			if p := fn.point; p != nil && !p.Count {
				enter = w.enterInto(w.s, p)
			}
			e.insert(start, " var "+w.s+" "+w.perf+".Scope; if "+w.opens(fn)+" { defer "+w.s+".Leave();"+enter+" };")
			w.openNamed(e, e, fn, start, end, eachTests)
			break
		}
		e.insert(start, w.chosen(fn)+w.scopes(fn)+" if "+w.on+" { defer "+w.perf+".Close("+w.s+"[:]) };")
		w.marked(e, fn, start, w.on)
	}
}

// marker names the i-th marker of the unit. There is nothing else in the pages
// that hold markers, so that the runtime can have them in the data file.
func (w *overlayWriter) marker(i int) string {
	return fmt.Sprintf("%s[%s.MarkerPad+%d]", w.m, w.perf, i)
}

// chooses gives what stands before and behind a body that is to run marked, from there to its end, if its gate is open and it is due. Of
// one condition the compiler makes a variable that is tested whatever the gate is, and where no call follows the first it
// takes that for the way that is often gone.
func (w *overlayWriter) chooses(fn *function) (from, to string) {
	if m := w.gate(fn); m != "" && fn.lengthens() {
		return " if " + w.isMarked(m) + " {" + w.ifDue(m, "", "IsDue"), "}}"
	}
	return " if " + w.opens(fn) + " {", "}"
}

// choosesBehind is chooses for a body in which the function's own scope has an explicit end: it is opened first, which does nothing while
// the body is not due. scopes declares those of the function.
func (w *overlayWriter) choosesBehind(fn *function, scopes string, how gate) (from, to string) {
	own := w.ownScope(fn, how)
	if m := w.gate(fn); own != "" {
		return " if " + w.isMarked(m) + " {" + scopes + w.ifDue(m, own, "Due"), "}}"
	}
	from, to = w.chooses(fn)
	return from + scopes, to
}

// ifDue begins a body that is run if the marker is due, behind what is done before. That is in a loop, of which there is one passage: what
// has a loop in front of it the compiler does not put in front of the body as it was, which has two ways in. The body is in no loop, or what
// it gives to a parameter would be on the heap.
func (w *overlayWriter) ifDue(marker, before, due string) string {
	test := w.perf + "." + due + "(&" + marker + ")"
	return " for {" + before + " if " + test + " || !" + w.perf + ".Again() { break } }; if " + test + " {"
}

// ownScope opens the scope of a function with two bodies, if that is what speaks for both; "" if it is not.
func (w *overlayWriter) ownScope(fn *function, how gate) string {
	if p := fn.point; !fn.lengthens() || p == nil || p.Count || w.called || how != passed && how != framed || w.marker(p.marker) != w.gate(fn) || fn.form != formTwin {
		return ""
	}
	defer func(before gate) { w.passed = before }(w.passed)
	w.passed = how
	return w.opened(fn.point)
}

// chosen declares the variable that says whether the body is to run marked.
func (w *overlayWriter) chosen(fn *function) string {
	text := " " + w.on + " := " + w.opens(fn) + ";"
	if m := w.gate(fn); m != "" && fn.lengthens() {
		text += " if " + w.on + " { " + w.on + " = " + w.perf + ".IsDue(&" + m + ") };"
	}
	return text
}

// opens tests whether the function's markers are on.
func (w *overlayWriter) opens(fn *function) string {
	if m := w.gate(fn); m != "" {
		return w.isMarked(m)
	}
	return "false"
}

// isMarked tests a gate: whether the code behind it is to run marked.
func (w *overlayWriter) isMarked(gate string) string { return gate + ".Off&" + w.perf + ".Closed == 0" }

// gate is the marker that speaks for all of the function's; "": it has none.
func (w *overlayWriter) gate(fn *function) string {
	for _, p := range fn.points {
		if p.marker >= 0 {
			return w.marker(p.gate)
		}
	}
	return ""
}

// scopes declares the scopes of a function: one for each that may be open at
// once.
func (w *overlayWriter) scopes(fn *function) string {
	return " var " + w.s + " [" + strconv.Itoa(max(fn.slots, 1)) + "]" + w.perf + ".Scope;"
}

// entered declares the scopes of a function that nothing leaves but a return, a variable for each that may
// be open at once. Some are never ended: what follows is an endless loop.
func (w *overlayWriter) entered(fn *function) string {
	var names, none []string
	for slot := range max(fn.slots, 1) {
		names, none = append(names, w.s+strconv.Itoa(slot)), append(none, "_")
	}
	list := strings.Join(names, ", ")
	return " var " + list + " " + w.perf + ".Entered; " + strings.Join(none, ", ") + " = " + list + ";"
}

// deferred declares the scopes of a function, which a deferred call closes.
func (w *overlayWriter) deferred(fn *function) string {
	return w.scopes(fn) + " defer " + w.perf + ".Close(" + w.s + "[:]);"
}

// counts plants only what is counted and not timed, and the calls that steer.
func (w *overlayWriter) counts(e *edits, fn *function, start int) {
	if p := fn.point; p != nil && p.Count {
		e.insert(start, w.counted(p.counter))
	}
	for _, ev := range fn.events {
		w.eventOff(e, ev)
	}
}

// eventOff plants an event where no scope is recorded.
func (w *overlayWriter) eventOff(e *edits, ev event) {
	switch ev.op {
	case opCount, opCover, opWrap, opUnwrap, opPause, opResume:
		w.event(e, ev, "")
	}
}

// marked plants all events; guard is the variable that says whether the timed
// ones happen, "" for always.
func (w *overlayWriter) marked(e *edits, fn *function, start int, guard string) {
	if p := fn.point; p != nil {
		if p.Count {
			e.insert(start, w.counted(p.counter))
		} else {
			e.insert(start, w.guarded(w.enter(p, 0), guard))
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
	case opEnter:
		text = w.guarded(w.enter(ev.point, ev.slot), guard)
	case opExit:
		switch ev.n {
		case 0:
			return
		case 1:
			text = fmt.Sprintf(" %s[%d].Exit();", w.s, ev.slot)
		default:
			text = fmt.Sprintf(" %s.Close(%s[%d:%d]);", w.perf, w.s, ev.slot, ev.slot+ev.n)
		}
		text = w.guarded(text, guard)
	case opPoint:
		text = w.guarded(fmt.Sprintf(" %s.Point(&%s);", w.perf, w.marker(ev.point.marker)), guard)
	case opCount:
		text = w.count(ev.point.counter)
	case opCover:
		text = w.tally(ev)
	case opWrap:
		text = "{" + w.tally(ev)
	case opUnwrap:
		text = " }"
	case opPause:
		text = " " + w.perf + ".Pause();"
	case opResume:
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

func (w *overlayWriter) enter(p *Point, slot int) string {
	return w.enterInto(fmt.Sprintf("%s[%d]", w.s, slot), p)
}

// enterInto enters the scope of a point that is in a variable.
func (w *overlayWriter) enterInto(scope string, p *Point) string {
	text := fmt.Sprintf(" %s.Enter(&%s);", scope, w.marker(p.marker))
	if p.SizeExpr != "" {
		text += fmt.Sprintf(" %s.Size(%s);", scope, asInt(p.SizeExpr))
	}
	return text
}

func (w *overlayWriter) count(counter int) string {
	switch {
	case w.tallied():
		return w.free("TickTally(&%s[%d], %s)", w.c, counter, w.tallyAt(counter))
	case w.u.inline:
		return w.free("Tick(&%s[%d])", w.c, counter)
	}
	return w.free("Count(&%s[%d])", w.c, counter) // which costs the inliner least where it takes account of it
}

// tallied says whether what is being planted counts by goroutine.
func (w *overlayWriter) tallied() bool { return w.u.inline && !w.terse && !w.untallied }

// tallyAt are the arguments by which Tally finds a counter.
func (w *overlayWriter) tallyAt(counter int) string {
	return fmt.Sprintf("&%s, &%s[%d], %d", w.t, w.l, w.last, counter)
}

// tallyOf are those of the counter that counts scopes of a point once it is demoted: they stand
// behind those of the table.
func (w *overlayWriter) tallyOf(p *Point) string {
	return w.tallyAt(len(w.u.counts) + len(w.u.blocks) + p.marker)
}

// counted is count for the point of a function.
func (w *overlayWriter) counted(counter int) string {
	switch {
	case w.called && w.tallied():
		return w.free("TickTallyCall(&%s[%d], %s)", w.c, counter, w.tallyAt(counter))
	case w.called:
		return w.free("TickCall(&%s[%d])", w.c, counter)
	}
	return w.count(counter)
}

// renameLabels gives the labels of a copied body names of their own. A blank one has none.
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

// tally counts a basic block. That at a function's start may find counters for
// the goroutine, so that those of its other blocks need not.
func (w *overlayWriter) tally(ev event) string {
	counter := len(w.u.counts) + ev.block
	switch {
	case !w.u.inline:
		return w.count(counter)
	case ev.first && w.called:
		return w.free("TallyCall(%s)", w.tallyAt(counter))
	case ev.first:
		return w.free("Tally(%s)", w.tallyAt(counter))
	}
	return w.free("TallyOn(%s)", w.tallyAt(counter))
}

// tallies says whether the unit counts by goroutine.
func (w *overlayWriter) tallies() bool { return w.u.inline && w.u.counting > 0 }

// free calls a function of the runtime in a statement that costs the inliner
// nothing, where that can be had.
func (w *overlayWriter) free(call string, args ...any) string {
	call = w.perf + "." + fmt.Sprintf(call, args...) + ";"
	if w.u.inline && !w.terse {
		call = w.nothing + "[0] = " + call
	}
	return " " + call
}
