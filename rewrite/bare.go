package rewrite

import (
	"bytes"
	"strings"
)

// An overlay build leaves comments out of what it compiles: when only comments
// change and no line moves, the marked text is what it was, and the go command
// has compiled it before.

// gone stands in bare text for a byte that is to be left out: no Go source has
// one. Offsets are those of the file.
const gone = 0

// goDirective begins the comments that the compiler and the go command read. Others
// that they do are in front of the package clause, or in files for cgo or with line
// directives, all of which are left alone.
const goDirective = "//go:"

// bare is the file's text with its comments gone, but for those that are read. What go vet and examples read is
// in test files, which keep theirs. Lines are where they were, and so is on its line
// whatever comes behind a comment.
func (f *file) bare() []byte {
	if f.cgo || f.test || f.lineDirs {
		return f.Text
	}
	text := bytes.Clone(f.Text)
	head := lineEnd(text, f.offset(f.ast.Name.End())) // constraints depend on the comments around them
	for _, group := range f.ast.Comments {
		for _, c := range group.List {
			from := f.offset(c.Slash)
			if from < head || strings.HasPrefix(c.Text, goDirective) {
				continue
			}
			to := from + len(bytes.TrimRight(text[from:lineEnd(text, from)], "\r\n"))
			if text[from+1] == '*' {
				to = from + 2 + bytes.Index(text[from+2:], []byte("*/")) + 2 // c.Text has no \r and so may be shorter
			}
			erase(text, from, to)
		}
	}
	return text
}

// erase takes a comment out of the text. One that ends its line goes with the
// blanks before it.
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

// without returns marked text less what is gone from it, and less blank lines at
// the end.
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
