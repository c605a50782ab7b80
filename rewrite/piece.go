package rewrite

import (
	"bytes"
	"go/ast"
	"sort"
	"strconv"
	"strings"
)

// A piece is the text to insert for one event or at the start of a function. at, stmt, inset and
// tail are as in event.
type piece struct {
	at    int    // byte offset of the token before which it goes
	stmt  int    // byte offset after whose line whole lines go; 0 for before the line of at
	inset string // indentation of whole lines after stmt
	tail  bool
	lines []string // statements, with tabs where they are nested
}

// function returns the pieces of one function, in order.
func (w *inPlaceWriter) function(fn *function) []piece {
	if len(fn.events) == 0 && fn.point == nil && !w.finishes(fn) {
		return nil
	}
	var list []piece
	if head := w.head(fn); len(head) > 0 {
		start := fn.file.offset(fn.body.Lbrace) + 1
		list = append(list, piece{at: start, stmt: start, inset: fn.file.indent(fn.body.List, fn.body.Rbrace), lines: head})
	}
	for _, e := range fn.events {
		if lines := w.event(fn, e); len(lines) > 0 {
			list = append(list, piece{at: e.at, stmt: e.stmt, inset: e.inset, tail: e.tail, lines: lines})
		}
	}
	return list
}

// finishes reports whether fn is the main function of a program with markers.
func (w *inPlaceWriter) finishes(fn *function) bool {
	return fn.decl != nil && fn.decl.Recv == nil && fn.decl.Name.Name == "main" && w.u.Name == "main" && w.o.Unit == "" &&
		!fn.file.left
}

// head returns the lines at the top of a function. Deferred calls are inside if perf.On, a
// constant, and so cost nothing if that is false.
func (w *inPlaceWriter) head(fn *function) (lines []string) {
	p := fn.point
	own := p != nil && !p.Count
	several := own && p.SizeExpr != ""
	for _, e := range fn.events {
		several = several || e.op == opEnter
	}
	var deferred []string
	if w.finishes(fn) {
		deferred = append(deferred, w.perf+".Finish()")
	}
	switch {
	case several:
		lines = append(lines, "var "+w.scopes+" ["+strconv.Itoa(fn.slots)+"]"+w.perf+".Scope")
		deferred = append(deferred, w.perf+".Close("+w.scopes+"[:])")
	case own:
		deferred = append(deferred, w.perf+".Enter("+w.marker(fn, p)+").Exit()")
	}
	if len(deferred) > 0 {
		lines = append(lines, "if "+w.perf+".On {")
		for _, call := range deferred {
			lines = append(lines, "\tdefer "+call)
		}
		lines = append(lines, "}")
	}
	if several && own {
		lines = append(lines, w.enter(fn, p, 0)...)
	}
	if p != nil && p.Count {
		lines = append(lines, w.perf+".Pass("+w.marker(fn, p)+")")
	}
	return lines
}

func (w *inPlaceWriter) event(fn *function, e event) []string {
	switch e.op {
	case opEnter:
		return w.enter(fn, e.point, e.slot)
	case opExit:
		switch e.n {
		case 0:
			return nil
		case 1:
			return []string{w.scope(e.slot) + ".Exit()"}
		}
		return []string{w.perf + ".Close(" + w.scopes + "[" + strconv.Itoa(e.slot) + ":" + strconv.Itoa(e.slot+e.n) + "])"}
	case opCount:
		return []string{w.perf + ".Pass(" + w.marker(fn, e.point) + ")"}
	case opPoint:
		return []string{w.perf + ".Point(" + w.marker(fn, e.point) + ")"}
	case opPause:
		return []string{w.perf + ".Pause()"}
	case opResume:
		return []string{w.perf + ".Resume()"}
	}
	return nil
}

func (w *inPlaceWriter) marker(fn *function, p *Point) string {
	g := w.of[fn.file]
	return "&" + g.marks + "." + g.fields[p]
}

func (w *inPlaceWriter) scope(slot int) string { return w.scopes + "[" + strconv.Itoa(slot) + "]" }

func (w *inPlaceWriter) enter(fn *function, p *Point, slot int) []string {
	lines := []string{w.scope(slot) + ".Enter(" + w.marker(fn, p) + ")"}
	if x := p.SizeExpr; x != "" {
		lines = append(lines, w.scope(slot)+".Size("+asInt(x)+")")
	}
	return lines
}

// ownLines inserts the piece on lines of its own, or returns false if its position is within a
// line.
func (p *piece) ownLines(e *edits) bool {
	at, ok := lineStart(e.text, p.at), true
	if p.stmt > 0 {
		at, ok = behindLine(e.text, p.stmt)
	} else {
		ok = blank(e.text[at:p.at])
	}
	if !ok {
		return false
	}
	indent := p.inset
	if p.stmt == 0 {
		indent = indentation(e.text, p.at)
	}
	nl := newline(e.text, at)
	if at > 0 {
		nl = newline(e.text, at-1)
	}
	e.insert(at, indent+strings.Join(p.lines, nl+indent)+nl)
	return true
}

// inLine inserts the piece within a line. At the start of a list or after a semicolon it goes
// before the next token, followed by a semicolon; else after the last statement, preceded by a
// semicolon.
func (p *piece) inLine(e *edits) {
	text := inLine(p.lines)
	if p.tail && p.stmt > 0 && !listStart(e.text, p.stmt) && !inDirective(e.text, p.stmt) {
		if end := skipBlanks(e.text, p.stmt); end >= len(e.text) || e.text[end] != ';' {
			e.insert(p.stmt, "; "+text)
			return
		}
	}
	at := p.at
	for {
		at = skipBlanks(e.text, at)
		if at >= len(e.text) || e.text[at] != '\n' && e.text[at] != '\r' {
			break
		}
		at++
	}
	e.insert(at, text+"; ")
}

// listStart reports whether a brace or colon precedes an offset.
func listStart(text []byte, at int) bool {
	return at > 0 && (text[at-1] == '{' || text[at-1] == ':')
}

// inDirective reports whether an offset is on the line of a directive.
func inDirective(text []byte, at int) bool {
	return bytes.HasPrefix(text[skipBlanks(text, lineStart(text, at)):], []byte(directivePrefix))
}

// inLine returns statements joined to one line.
func inLine(lines []string) string {
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

// sortedPlaces returns the sorted offsets of pieces.
func sortedPlaces(pieces []piece) []int {
	places := make([]int, len(pieces))
	for i, p := range pieces {
		places[i] = p.at
	}
	sort.Ints(places)
	return places
}

// breakLines breaks the function bodies on one line that get a piece into several lines, with the
// pieces inserted. It returns the other pieces.
func (f *file) breakLines(e *edits, pieces []piece, places []int) (rest []piece) {
	gaps := map[int]*gap{} // by start and by end
	var order []*gap
	for _, fn := range f.functions {
		if !f.oneLine(fn.body, places) {
			continue
		}
		from := f.offset(fn.body.Lbrace) + 1
		note := " " + lineNote
		for _, s := range append(fn.body.List[:len(fn.body.List):len(fn.body.List)], nil) {
			to, end := f.offset(fn.body.Rbrace), 0
			if s != nil {
				to, end = f.offset(s.Pos()), f.offset(s.End())
			}
			g := &gap{from: from, to: to, note: note}
			gaps[from], gaps[to] = g, g
			order = append(order, g)
			from, note = end, ""
		}
	}
	for _, p := range pieces {
		if g := gaps[p.at]; g != nil {
			g.lines = append(g.lines, p.lines...)
		} else {
			rest = append(rest, p)
		}
	}
	for _, g := range order {
		text := e.text[g.from:g.to]
		if i := strings.IndexByte(string(text), '/'); i >= 0 { // a comment
			text = text[:i]
		}
		with := g.note + "\n"
		if len(g.lines) > 0 {
			with += strings.Join(g.lines, "\n") + "\n"
		}
		e.replace(g.from, g.from+len(text), with)
	}
	return rest
}

// A gap is the text between two statements of a body on one line, or next to its braces.
type gap struct {
	from, to int
	note     string
	lines    []string
}

// oneLine reports whether a body is on one line and gets a piece. places are the sorted offsets of
// the pieces.
func (f *file) oneLine(body *ast.BlockStmt, places []int) bool {
	from, to := f.offset(body.Lbrace), f.offset(body.Rbrace)
	i := sort.SearchInts(places, from+1)
	return i < len(places) && places[i] <= to && f.position(body.Lbrace).Line == f.position(body.Rbrace).Line
}

// lineNote follows the opening brace of a function body that was on one line.
const lineNote = "//perf:line"
