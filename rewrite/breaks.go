package rewrite

import (
	"bytes"
	"fmt"
	"go/token"
	"strings"
)

// longLine is the column after which lines of marked text are broken. The compiler keeps columns
// only up to 255 (cmd/internal/src/pos.go), so calls further to the right all share one position. A
// call at the position of a call that is being inlined is taken to be recursive and not inlined
// (canInlineCallExpr in cmd/compile/internal/inline/inl.go). If only one of Open and Shut were
// inlined, Shut would not find the scope that Open opened.
const longLine = 100

// A breaker builds text from source and insertions. It breaks long lines after an inserted
// semicolon or opening brace, where a newline has no meaning, and adds a line directive with the
// position in the source.
type breaker struct {
	f   *file // nil if no lines are to be broken
	out []byte
	col int // column at the end of out, in bytes from 0
}

func (b *breaker) add(text []byte) {
	b.out = append(b.out, text...)
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		b.col = len(text) - i - 1
	} else {
		b.col += len(text)
	}
}

// insert adds text, which replaces the source from at to next.
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

// lineAt returns a newline and a line directive, after which the source at an offset continues.
func lineAt(f *file, at int) string {
	return "\n" + f.lineComment(f.tok.Pos(at))
}

// lineComment returns a line directive after which the source at a position continues.
func (f *file) lineComment(p token.Pos) string {
	pos := f.position(p)
	return fmt.Sprintf("/*line :%d:%d*/", pos.Line, pos.Column)
}

// errorsAt returns a line directive that makes the compiler report errors in the expression of a
// directive where the user wrote it. It returns "" for an expression that is not in a directive, and
// in a file with line directives, whose positions are not those of the user's text.
func (f *file) errorsAt(expression token.Pos) string {
	if !expression.IsValid() || f.lineDirs {
		return ""
	}
	return f.lineComment(expression)
}

// ends reports whether only blanks follow on the line.
func (b *breaker) ends(at int) bool {
	rest := bytes.TrimLeft(b.f.Text[at:], " \t")
	return len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r')
}

// endsStatement reports whether a newline after the text has no meaning.
func endsStatement(text string) bool {
	text = strings.TrimRight(text, " ")
	return strings.HasSuffix(text, ";") || strings.HasSuffix(text, "{")
}
