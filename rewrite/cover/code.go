package cover

import (
	"go/ast"
	"go/scanner"
	"go/token"
)

// A codePart is a part of a basic block: successive lines with code, from the first token to the
// end of the last line. stmts[from:to] are the block's statements that begin in it.
type codePart struct {
	start, end token.Pos
	from, to   int
}

// code returns the parts of a block that extends from start to end and whose statements are stmts, as
// cmd/cover finds them from Go 1.27 on (codeRanges and mergeRangesWithinStatements in cmd/cover/cover.go):
//
//	a()        // first part
//	// why
//	b(1,       // second part; the empty line does not end it, since it is inside a statement
//
//		2)
//
// There is always at least one part; that of a block without code is empty.
func (w *walker) code(start, end token.Pos, stmts []ast.Stmt) []codePart {
	var parts []codePart
	next := 0 // index of the first statement that begins after the lines processed so far
	inside := func(pos token.Pos) bool { return next > 0 && pos < stmts[next-1].End() }
	begin := func(pos token.Pos) {
		for next < len(stmts) && stmts[next].Pos() < pos {
			next++
		}
		if len(parts) == 0 || !inside(pos) {
			parts = append(parts, codePart{start: pos, from: next})
		}
	}
	lines := w.lines(start, end)
	for _, l := range lines {
		begin(l.start)
		last := &parts[len(parts)-1]
		last.end = l.end
		for next < len(stmts) && stmts[next].Pos() < l.end {
			next++
		}
		last.to = next
	}
	return parts
}

// codeLines are successive lines of code: start is the first token, end the start of the next line.
type codeLines struct{ start, end token.Pos }

// lines returns the lines of code between start and end. Braces and automatically inserted
// semicolons are not code.
func (w *walker) lines(start, end token.Pos) []codeLines {
	from := w.file.Offset(start)
	src := w.src[from:w.file.Offset(end)]
	f := token.NewFileSet().AddFile("", -1, len(src)) // the scanner needs a file of the size of src
	place := func(p token.Pos) token.Pos { return w.file.Pos(from + f.Offset(p)) }
	line := func(p token.Pos) int { return f.PositionFor(p, false).Line }
	var s scanner.Scanner
	s.Init(f, src, nil, 0)
	var found []codeLines
	last := 0 // the last line with code
	for {
		pos, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			if last == 0 {
				return []codeLines{{start, start}}
			}
			if found[len(found)-1].end = end; last < f.LineCount() {
				found[len(found)-1].end = place(f.LineStart(last + 1))
			}
			return found
		case tok == token.LBRACE, tok == token.RBRACE, tok == token.SEMICOLON && text == "\n":
			continue
		}
		if first := line(pos); last == 0 || w.parted(place(pos), first-last) {
			if last > 0 {
				found[len(found)-1].end = place(f.LineStart(last + 1))
			}
			found = append(found, codeLines{start: place(pos)})
		}
		to := pos
		if tok == token.STRING { // the only tokens that span lines are raw strings and comments
			to += token.Pos(len(text))
		}
		last = max(last, line(to))
	}
}

// parted reports whether other lines than inserted ones are between a line of code and the code that
// follows n lines further down.
func (w *walker) parted(next token.Pos, n int) bool {
	line := w.file.PositionFor(next, false).Line
	for i := line - n + 1; i < line; i++ {
		if !w.inserted[i] {
			return true
		}
	}
	return false
}
