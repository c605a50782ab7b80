package inplace

import (
	"bytes"
	"cmp"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A file that gofmt would change is edited as text, so that its other bytes stay as they are. Every
// insertion goes on lines of its own where a line begins, and else within the line:
//
//	for { x() }
//
// becomes
//
//	for { perfs[1].Enter(&perfmarks.FFor1); x() ; perfs[1].Exit()}

// inLines returns a text with the insertions and the import of the runtime.
func (w *writer) inLines(text []byte, list []insertion) []byte { return w.insert(text, list, true) }

// inLine is inLines with the import within a line, which gofmt would change. So Strip does not take
// the text for one that gofmt has formatted.
func (w *writer) inLine(text []byte, list []insertion) []byte { return w.insert(text, list, false) }

func (w *writer) insert(text []byte, list []insertion, ownLine bool) []byte {
	edits := []edit{w.importEdit(text, ownLine)}
	for _, in := range list {
		edits = append(edits, in.edit(text))
	}
	return apply(text, edits)
}

// edit returns the text to insert and its offset.
func (in insertion) edit(text []byte) edit {
	start := lineStart(text, in.at)
	indent, at := indentation(text, in.at), start
	switch {
	case in.top():
		indent += "\t"
		if at = lineEnd(text, in.at); !blank(text[in.at:at]) {
			return edit{skipBlanks(text, in.at), skipBlanks(text, in.at), joined(in.lines) + "; "}
		}
	case in.after > 0:
		indent, at = indentation(text, in.after), lineEnd(text, in.after)
	case !blank(text[start:in.at]):
		if text[in.at] == '}' { // before others there is a semicolon
			return edit{in.at, in.at, "; " + joined(in.lines)}
		}
		return edit{in.at, in.at, joined(in.lines) + "; "}
	case closing.Match(text[in.at:]):
		indent += "\t"
	}
	return edit{at, at, indent + strings.Join(in.lines, "\n"+indent) + "\n"}
}

// closing matches what follows a statement list.
var closing = regexp.MustCompile(`^(}|(case|default)([^\pL\pN_]))`)

// importEdit returns the edit that imports the runtime after the other imports, if it is not.
func (w *writer) importEdit(text []byte, ownLine bool) edit {
	fset := token.NewFileSet()
	f, _ := parser.ParseFile(fset, "", text, parser.ImportsOnly) // parsed before, so without error
	if slices.Contains(importedAs(f, w.o.Runtime), w.perf) {
		return edit{}
	}
	at, with := f.Name.End(), "import "+w.perf+" "+strconv.Quote(w.o.Runtime)
	for _, d := range f.Decls {
		at = d.End()
	}
	end := int(at - f.FileStart)
	if below := lineEnd(text, end); ownLine && below > end && blank(text[end:below]) {
		if with += "\n"; len(f.Decls) == 0 {
			with = "\n" + with
		}
		return edit{below, below, with}
	}
	return edit{end, end, "; " + with}
}

// An edit replaces the text between two offsets.
type edit struct {
	from, to int
	with     string
}

// apply returns the text with the edits applied. They do not overlap; those at the same offset are
// applied in order.
func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.from]...), e.with...)
		at = e.to
	}
	return append(out, text[at:]...)
}

// lineStart returns the offset of the start of the line that contains an offset.
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// lineEnd returns the offset after the newline of the line that contains an offset, or
// the length of the text if there is none.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// blank reports whether a text consists of blanks and line ends.
func blank(text []byte) bool { return len(bytes.TrimLeft(text, " \t\r\n")) == 0 }

// skipBlanks returns the offset of the first byte from at on that is no space or tab.
func skipBlanks(text []byte, at int) int {
	return len(text) - len(bytes.TrimLeft(text[at:], " \t"))
}

// indentation returns the spaces and tabs with which the line of an offset starts.
func indentation(text []byte, at int) string {
	start := lineStart(text, at)
	return string(text[start:skipBlanks(text, start)])
}
