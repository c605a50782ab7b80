package rewrite

import (
	"bytes"
	"go/ast"
	"go/token"
)

// lineStart is the offset of the first byte of the line that an offset is in.
func lineStart(text []byte, at int) int {
	return bytes.LastIndexByte(text[:at], '\n') + 1
}

// lineEnd is the offset behind the newline of the line that an offset is in, or
// the length of a text that ends without one.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// blank reports whether a text is all blanks; a carriage return is one.
func blank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// skipBlanks is the offset of the first byte from at on that is no blank.
func skipBlanks(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at
}

// indentation is the blank start of the line that an offset is in.
func indentation(text []byte, at int) string {
	start := lineStart(text, at)
	return string(text[start:skipBlanks(text, start)])
}

// newline is what ends the lines around an offset.
func newline(text []byte, at int) string {
	end := lineEnd(text, at)
	if end < 2 || text[end-1] != '\n' {
		end = bytes.IndexByte(text, '\n') + 1
	}
	if end >= 2 && text[end-2] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// behindLine is where the line after an offset starts, if nothing but comments
// and semicolons stands between. A comment over several lines belongs to the
// line it starts in.
func behindLine(text []byte, at int) (int, bool) {
	for at < len(text) {
		switch c := text[at]; {
		case c == '\n':
			return at + 1, true
		case c == ' ' || c == '\t' || c == '\r' || c == ';':
			at++
		case bytes.HasPrefix(text[at:], []byte("//")):
			at = lineEnd(text, at)
			return at, text[at-1] == '\n'
		case bytes.HasPrefix(text[at:], []byte("/*")):
			n := bytes.Index(text[at:], []byte("*/"))
			if n < 0 {
				return 0, false
			}
			at += n + 2
		default:
			return 0, false
		}
	}
	return 0, false
}

// hasComment reports whether there may be a comment in the line that an offset is
// in.
func hasComment(text []byte, at int) bool {
	line := text[lineStart(text, at):lineEnd(text, at)]
	return bytes.Contains(line, []byte("//")) || bytes.Contains(line, []byte("/*"))
}

// indent is that of the statements of a list, which ends in front of closer, a
// brace or the next clause.
func (f *file) indent(list []ast.Stmt, closer token.Pos) string {
	for _, s := range list {
		s, _ = unlabelled(s)
		if e, ok := s.(*ast.EmptyStmt); ok && e.Implicit {
			continue
		}
		if at := f.offset(s.Pos()); blank(f.Text[lineStart(f.Text, at):at]) {
			return indentation(f.Text, at)
		}
	}
	return indentation(f.Text, f.offset(closer)) + "\t"
}

// lastEnd is where the last statement of a list ends, start if there is none.
func (f *file) lastEnd(list []ast.Stmt, start int) int {
	for i := len(list) - 1; i >= 0; i-- {
		if _, empty := list[i].(*ast.EmptyStmt); empty {
			continue
		}
		s, label := unlabelled(list[i])
		if e, ok := s.(*ast.EmptyStmt); ok && e.Implicit {
			return f.offset(label.Colon) + 1
		}
		return f.offset(s.End())
	}
	return start
}

// unlabelled is the statement behind the labels, which are indented less, and
// the last of the labels.
func unlabelled(s ast.Stmt) (stmt ast.Stmt, label *ast.LabeledStmt) {
	for {
		l, ok := s.(*ast.LabeledStmt)
		if !ok {
			return s, label
		}
		s, label = l.Stmt, l
	}
}
