package inplace

import (
	"go/scanner"
	"go/token"
	"strconv"
	"strings"

	"github.com/markgen/markgen/rewrite"
)

// A formatter other than gofmt may move the import of the runtime to another group, and break long
// inserted lines. markgen keeps its result, or the two would undo each other's changes forever.

// reformatted reports whether the current text of a file differs from the marked text, and only in
// formatting.
func (w *writer) reformatted(marked, now []byte) bool {
	if len(now) == 0 {
		return false
	}
	a, b := newCodeScanner(marked), newCodeScanner(now)
	for {
		x, y := a.next(), b.next()
		if x != y {
			return false
		}
		if x.tok == token.EOF {
			break
		}
	}
	own := [2]string{w.perf, strconv.Quote(w.o.Runtime)}
	return a.imports[own] == 1 && b.imports[own] == 1
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
			if !strings.HasPrefix(lit, rewrite.DirectivePrefix) {
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
