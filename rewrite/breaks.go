package rewrite

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// longLine is the column from which on lines of marked text are broken. The compiler knows
// columns up to 255 (cmd/internal/src/pos.go), and takes two calls at one place, of which one has been inlined into what
// the other calls, for a recursion that it does not inline (canInlineCallExpr in
// cmd/compile/internal/inline/inl.go): so would it be for all that stands further to the right. If of Open and Shut
// one were inlined and the other not, they would not find each other.
const longLine = 100

// A breaker builds text from source and insertions, and breaks lines that have become long, where a newline means nothing:
// behind a semicolon or an opening brace of ours. A line directive says where in the source it goes on.
type breaker struct {
	f   *file // nil: nothing is broken
	out []byte
	col int // of the end of out
}

// apply adds the text between two offsets with the edits made, which are in order.
func (b *breaker) apply(text []byte, list []edit, from, to int) []byte {
	list = list[sort.Search(len(list), func(i int) bool { return list[i].from >= from }):]
	size := to - from
	for _, d := range list {
		if d.from > to {
			break
		}
		size += len(d.with)
	}
	b.out = make([]byte, 0, size)
	at := from
	for _, d := range list {
		if d.from > to {
			break
		}
		if d.to > to {
			continue
		}
		if d.from < at {
			panic("rewrite: edits overlap: " + d.with)
		}
		b.add(text[at:d.from])
		b.insert(d.with, d.from, d.to)
		at = d.to
	}
	b.add(text[at:to])
	return b.out
}

func (b *breaker) add(text []byte) {
	b.out = append(b.out, text...)
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		b.col = len(text) - i - 1
	} else {
		b.col += len(text)
	}
}

// insert adds text in the place of what is from at to next in the source.
func (b *breaker) insert(text string, at, next int) {
	if b.f == nil || b.f.lineDirs {
		b.out = append(b.out, text...)
		return
	}
	if rest, ok := strings.CutPrefix(strings.TrimLeft(text, " "), ";"); ok && b.col > longLine {
		text = ";" + lineAt(b.f, at) + rest
	}
	b.add([]byte(text))
	if b.col > longLine && endsStatement(text) && !b.ends(next) {
		b.add([]byte(lineAt(b.f, next)))
	}
}

// lineAt is a line's beginning in marked text that goes on with what is at an offset of the file.
func lineAt(f *file, at int) string {
	pos := f.position(f.tok.Pos(at))
	return fmt.Sprintf("\n/*line :%d:%d*/", pos.Line, pos.Column)
}

// ends reports whether nothing but blanks follows in the line.
func (b *breaker) ends(at int) bool {
	at = skipBlanks(b.f.Text, at)
	return at < len(b.f.Text) && (b.f.Text[at] == '\n' || b.f.Text[at] == '\r')
}

// endsStatement reports whether a newline behind the text adds nothing to it.
func endsStatement(text string) bool {
	text = strings.TrimRight(text, " ")
	return strings.HasSuffix(text, ";") || strings.HasSuffix(text, "{")
}
