package inplace

import (
	"strconv"
	"strings"

	"github.com/markgen/markgen/rewrite"
)

// An insertion is the statements to insert at one place: at the top of a function, or for an event.
type insertion struct {
	at, after int      // as in rewrite.PlannedEvent
	lines     []string // statements, with tabs where they are nested
}

// top reports whether the statements begin a statement list.
func (in insertion) top() bool { return in.after == in.at }

// insertions returns the insertions of a file: by function, and in each in order.
func (w *writer) insertions(p *rewrite.Plan) (list []insertion) {
	marks := w.of[p.Name]
	for _, fn := range p.Functions {
		if head := w.head(fn, marks); len(head) > 0 {
			list = append(list, insertion{fn.Top, fn.Top, head})
		}
		for _, e := range fn.Events {
			list = append(list, insertion{e.At, e.After, w.event(e, marks)})
		}
	}
	return list
}

// finishes reports whether fn is the main function of a program with markers.
func (w *writer) finishes(fn rewrite.PlannedFunction) bool { return fn.Main && w.o.Unit == "" }

// head returns the lines at the top of a function. Deferred calls are inside if perf.On, a
// constant, and so cost nothing if that is false.
func (w *writer) head(fn rewrite.PlannedFunction, marks *tableGroup) (lines []string) {
	p := fn.Point
	own := p != nil && !p.Count
	several := own && p.NeedsScope()
	for _, e := range fn.Events {
		several = several || e.Op == rewrite.OpEnter
	}
	var deferred []string
	if w.finishes(fn) {
		deferred = append(deferred, w.perf+".Finish()")
	}
	switch {
	case several:
		lines = append(lines, "var "+w.scopes+" ["+strconv.Itoa(fn.Slots)+"]"+w.perf+".Scope")
		deferred = append(deferred, w.perf+".Close("+w.scopes+"[:])")
	case own:
		deferred = append(deferred, w.perf+".Enter("+marks.marker(p)+").Exit()")
	}
	if len(deferred) > 0 {
		lines = append(lines, "if "+w.perf+".On {")
		for _, call := range deferred {
			lines = append(lines, "\tdefer "+call)
		}
		lines = append(lines, "}")
	}
	if several && own {
		lines = append(lines, w.enter(p, 0, marks)...)
	}
	if p != nil && p.Count {
		lines = append(lines, w.perf+".Pass("+marks.marker(p)+")")
	}
	return lines
}

// event returns the lines of an event.
func (w *writer) event(e rewrite.PlannedEvent, marks *tableGroup) []string {
	switch e.Op {
	case rewrite.OpEnter:
		return w.enter(e.Point, e.Slot, marks)
	case rewrite.OpExit:
		if e.N == 1 {
			return []string{w.scope(e.Slot) + ".Exit()"}
		}
		return []string{w.perf + ".Close(" + w.scopes + "[" + strconv.Itoa(e.Slot) + ":" + strconv.Itoa(e.Slot+e.N) + "])"}
	case rewrite.OpCount:
		return []string{w.perf + ".Pass(" + marks.marker(e.Point) + ")"}
	case rewrite.OpPoint:
		return []string{w.perf + ".Point(" + marks.marker(e.Point) + ")"}
	case rewrite.OpPause:
		return []string{w.perf + ".Pause()"}
	default:
		return []string{w.perf + ".Resume()"}
	}
}

func (w *writer) scope(slot int) string { return w.scopes + "[" + strconv.Itoa(slot) + "]" }

func (w *writer) enter(p *rewrite.Point, slot int, marks *tableGroup) []string {
	enter := w.scope(slot) + ".Enter(" + marks.marker(p) + ")"
	return append([]string{enter}, p.SizeStatements(w.scope(slot), w.perf)...)
}

// joined returns statements joined to one line.
func joined(lines []string) string {
	var b strings.Builder
	for i, l := range lines {
		switch {
		case i == 0:
		case strings.HasSuffix(lines[i-1], "{") || l == "}":
			b.WriteByte(' ')
		default:
			b.WriteString("; ")
		}
		b.WriteString(strings.TrimLeft(l, "\t"))
	}
	return b.String()
}
