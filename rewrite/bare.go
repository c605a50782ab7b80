package rewrite

import (
	"bytes"
	"strings"
)

// An overlay build removes comments from the text that it compiles: if a user changes only comments
// and no line moves, the marked text is unchanged and the go command uses its cache.

// gone replaces each byte of bare text that is to be removed, so that offsets remain those of the
// file. Go source has no NUL bytes.
const gone = 0

// goDirective is the prefix of comments that the compiler and the go command read. They read others
// only before the package clause and in files with cgo or line directives, where bare keeps all.
const goDirective = "//go:"

// bare returns the file's text with gone bytes for its comments, except directives. Test files keep
// their comments, which go vet and examples read. Code does not move to another line.
func (f *file) bare() []byte {
	if f.cgo || f.test || f.lineDirs {
		return f.Text
	}
	text := bytes.Clone(f.Text)
	head := lineEnd(text, f.offset(f.ast.Name.End())) // build constraints depend on the comments around them
	for _, group := range f.ast.Comments {
		for _, c := range group.List {
			from := f.offset(c.Slash)
			if from < head || strings.HasPrefix(c.Text, goDirective) {
				continue
			}
			to := from + len(bytes.TrimRight(text[from:lineEnd(text, from)], "\r\n"))
			if text[from+1] == '*' {
				to = from + 2 + bytes.Index(text[from+2:], []byte("*/")) + 2 // not len(c.Text), which has no \r
			}
			erase(text, from, to)
		}
	}
	return text
}

// erase marks a comment as gone, with the blanks before it if it ends its line. A comment followed
// by code becomes blanks.
func erase(text []byte, from, to int) {
	with := byte(gone)
	if len(bytes.TrimSpace(text[to:lineEnd(text, to)])) > 0 {
		with = ' '
	}
	i := to
	for ; i > from && text[i-1] != '\n'; i-- {
		if text[i-1] != '\r' {
			text[i-1] = with
		}
	}
	for ; i > from; i-- {
		if text[i-1] != '\n' && text[i-1] != '\r' {
			text[i-1] = gone
		}
	}
	if with == gone || bytes.IndexByte(text[from:to], '\n') >= 0 {
		for ; i > 0 && (text[i-1] == ' ' || text[i-1] == '\t'); i-- {
			text[i-1] = gone
		}
	}
}

// without returns marked text without gone bytes and trailing blank lines.
func without(marked []byte) []byte {
	out := marked[:0]
	for len(marked) > 0 {
		i := bytes.IndexByte(marked, gone)
		if i < 0 {
			i = len(marked)
		}
		out = append(out, marked[:i]...)
		for i < len(marked) && marked[i] == gone {
			i++
		}
		marked = marked[i:]
	}
	return append(bytes.TrimRight(out, " \t\r\n"), '\n')
}

// lineEnd returns the offset after the newline of the line that contains an offset, or
// the length of the text if there is none.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}
