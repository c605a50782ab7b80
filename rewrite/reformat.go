package rewrite

import (
	"bytes"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"
)

// A formatter other than gofmt may move the import of the runtime to another group, and break long
// inserted lines. markgen keeps its result, or the two would undo each other's changes forever.

// reformatted sets m.now to the current text of the file if that differs from the marked text only
// in formatting.
func (w *inPlaceWriter) reformatted(m *markedText, now []byte) {
	if bytes.Contains(now, []byte(importNote)) {
		return // marked by an earlier version
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

// A codeScanner reads the tokens of a file that formatters do not change. It skips imports,
// comments other than markgen's, and commas and semicolons, some of which depend on line ends.
type codeScanner struct {
	s       scanner.Scanner
	imports map[[2]string]int // number of imports read, by name and quoted path
}

// A code is a token.
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
