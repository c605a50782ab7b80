package rewrite

import (
	"bytes"
	"go/ast"
	"go/token"
)

// lineStart returns the offset of the start of the line that contains an offset.
func lineStart(text []byte, at int) int {
	return bytes.LastIndexByte(text[:at], '\n') + 1
}

// lineEnd returns the offset after the newline of the line that contains an offset, or
// the length of the text if there is none.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// blank reports whether a text consists of spaces, tabs and carriage returns.
func blank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// skipBlanks returns the offset of the first byte from at on that is no space or tab.
func skipBlanks(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at
}

// indentation returns the spaces and tabs with which the line of an offset starts.
func indentation(text []byte, at int) string {
	start := lineStart(text, at)
	return string(text[start:skipBlanks(text, start)])
}

// newline returns the line end used around an offset, LF or CRLF.
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

// behindLine returns the start of the line after an offset, if only comments and
// semicolons are between the offset and that line. A comment that spans lines counts as
// part of the line in which it starts.
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

// hasComment reports whether the line that contains an offset may have a comment.
func hasComment(text []byte, at int) bool {
	line := text[lineStart(text, at):lineEnd(text, at)]
	return bytes.Contains(line, []byte("//")) || bytes.Contains(line, []byte("/*"))
}

// indent returns the indentation of the statements of a list. closer is the position of the brace
// or clause after the list.
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

// lastEnd returns the end of the last statement of a list, or start if the list is empty.
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

// unlabelled returns s without its labels, and the last of the labels or nil. Labels are indented
// less than their statement.
func unlabelled(s ast.Stmt) (stmt ast.Stmt, label *ast.LabeledStmt) {
	for {
		l, ok := s.(*ast.LabeledStmt)
		if !ok {
			return s, label
		}
		s, label = l.Stmt, l
	}
}
