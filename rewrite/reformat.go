package rewrite

import (
	"bytes"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"
)

// A formatter may move the import of the runtime to another group, and break the inserted lines where they are long. What
// it has made of a marked file stays, or it and markgen would each undo what the other does.

// reformatted keeps what a file is now, in the place of the marked text, if it is the same code otherwise formatted.
func (w *inPlaceWriter) reformatted(m *markedText, now []byte) {
	if bytes.Contains(now, []byte(importNote)) {
		return // as former versions have marked it
	}
	a, b := newCodeScanner(m.text), newCodeScanner(now)
	for {
		x, y := a.next(), b.next()
		if x != y {
			return
		}
		if x.tok == token.EOF {
			break
		}
	}
	if own := [2]string{w.perf, strconv.Quote(w.o.Runtime)}; a.imports[own] == 1 && b.imports[own] == 1 {
		m.now = now
	}
}

// codeScanner reads the tokens of a file that formatters leave alone: no imports, no comments but those of markgen, and none
// of the commas and semicolons, of which some depend on where lines end.
type codeScanner struct {
	s       scanner.Scanner
	imports map[[2]string]int // how often each name and path was there
}

// code is a token.
type code struct {
	tok token.Token
	lit string
}

func newCodeScanner(text []byte) *codeScanner {
	c := &codeScanner{imports: map[[2]string]int{}}
	f := token.NewFileSet().AddFile("", -1, len(text))
	c.s.Init(f, text, nil, scanner.ScanComments)
	return c
}

func (c *codeScanner) next() code {
	for {
		_, tok, lit := c.s.Scan()
		switch tok {
		case token.IMPORT:
			c.skipImport()
			continue
		case token.COMMA, token.SEMICOLON:
			continue
		case token.COMMENT:
			if !strings.HasPrefix(lit, directivePrefix) {
				continue
			}
		}
		return code{tok, lit}
	}
}

// skipImport reads the rest of an import declaration.
func (c *codeScanner) skipImport() {
	block, name := false, ""
	for {
		switch _, tok, lit := c.s.Scan(); tok {
		case token.LPAREN:
			block = true
		case token.IDENT, token.PERIOD:
			name = lit
		case token.STRING:
			c.imports[[2]string{name, lit}]++
			if name = ""; !block {
				return
			}
		case token.RPAREN, token.EOF:
			return
		}
	}
}
