package cover

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"

	"github.com/markgen/markgen/rewrite/gc"
)

// TestBlockSums checks, for function bodies, which blocks are sums of which others, numbered from
// 0.
func TestBlockSums(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{"if x < 1 { return }; a()", "0=2+1"},
		{"if x < 1 { a(); return }; a()", "0=2+1"},
		{"if x < 1 { a() }; a()", ""},
		{"if x < 1 { x = 1 }; a()", "0=1"},
		{"if x < 1 { x = 1 }", ""},
		{"if x < 1 { a() } else { a() }; a()", "0=2+3"},
		{"if x < 1 { a() } else if x > 3 { a() } else if y { a() }", "0=1+2 2=3+4"},
		{"if x < 1 { a() } else if x > 3 { a() } else if y { a() } else { }", "0=1+2 2=3+4 4=5+6"},
		{"if x < 1 { return } else if x > 3 { return }; a()", "0=2+3"},
		{"if y := x + 1; y < 1 { return }; a()", "0=2+1"},
		{"x++; z, y := x*2, 3; var w = -z; const c = 1; x <<= 3; if w == 1 { return }; a()", "0=2+1"},
		{"a(); if x < 1 { return }; a()", ""},
		{"if a() { return }; a()", ""},
		{"if x[1] == 1 { return }; a()", ""},
		{"if x.f == 1 { return }; a()", ""},
		{"if *x == 1 { return }; a()", ""},
		{"if <-x == 1 { return }; a()", ""},
		{"if x == y { return }; a()", ""},
		{"if x == nil || y != 'a' { return }; a()", "0=2+1"},
		{"if x/y > 1 { return }; a()", ""},
		{"if x/2 > 1 { return }; a()", "0=2+1"},
		{"if x<<y > 1 { return }; a()", ""},
		{"if x.(int) > 1 { return }; a()", ""},
		{"x[1] = 2; if y { return }; a()", ""},
		{"if utf8.RuneSelf > x { return }; a()", "0=2+1"},
		{"if known.X > x { return }; a()", "0=2+1"},
		{"if fmt.X > x { return }; a()", ""},
		{"if len(x) > int(y) { return }; a()", "0=2+1"},
		{"if len(x.y) > 1 { return }; a()", ""},
		{"if uint8(x) > 1 { return }; a()", ""},
		{"if x == true { return }; a()", "0=2+1"},
		{"if x == false { return }; a()", ""},
		{"if x { return }; L: a(); goto L", ""},
		{"a(); L: if x { return }; a(); goto L", ""},
		{"for x { if y { continue }; a() }", "1=3+2"},
		{"for { if y { break }; if x { return }; a() }", "1=4+2 2=5+3"},
		{"switch x { case 1: a(); case 2: }; a()", ""},
		{"switch x { case 1: a(); case 2: default: }; a()", "0=2+3+4"},
		{"switch x { case 1: return; case 2: panic(1) }; a()", "0=2+3+1"},
		{"switch x { case 1: return; case 2: if y { break }; return }; a()", "3=5+4"},
		{"switch x { case 1: fallthrough; case 2: default: }", ""},
		{"switch x { case 1: M: fallthrough; case 2: default: }", ""},
		{"switch x { case y: default: }", ""},
		{"switch { case x < y: default: }", "0=1+2"},
		{"switch { case x[0] < y: default: }", ""},
		{"L: switch x { case 1: break L; default: }; a()", ""},
		{"switch x.(type) { case int: default: }", ""},
		{"select { case <-x: default: }", ""},
		{"f := func() { if x { return }; a() }; if y { return }; f()", "1=6+2 3=5+4"},
		{"{ if x { return } }; a()", ""},
		{"x++\n\nif x { return }; a()", "0=1 1=3+2"},
		{"a()\n\nif x { return }; a()", "1=3+2"},
		{"x++\n\na()\n\nif x { return }; a()", "0=1 2=4+3"},
		{"x++\n\nL: for x { goto L }", ""},
	} {
		src := "package p\nimport \"unicode/utf8\"\nimport known \"x/y\"\nimport \"fmt\"\nfunc uint8() {}\nfunc _f(false, fmt int) {" + tt.body + "}\n"
		fset, f := coverParse(t, "p.go", []byte(src))
		blocks := Blocks(fset, f, []byte(src), gc.Newest())
		all := Sums(f, blocks, declared(f))
		var got []string
		for i, sum := range all[1:] { // skip the first, uint8
			if sum == nil {
				continue
			}
			s := fmt.Sprint(i, "=")
			for n, k := range sum {
				s += strings.Repeat("+", min(n, 1)) + fmt.Sprint(k-1)
			}
			got = append(got, s)
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.body, got, tt.want)
		}
	}
}

// declared returns all names that a file declares, except imports.
func declared(f *ast.File) map[string]bool {
	names := map[string]bool{}
	declare := func(list ...ast.Expr) {
		for _, x := range list {
			if name, ok := x.(*ast.Ident); ok {
				names[name.Name] = true
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			declare(n.Name)
		case *ast.Field:
			for _, name := range n.Names {
				declare(name)
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				declare(name)
			}
		case *ast.TypeSpec:
			declare(n.Name)
		case *ast.AssignStmt:
			declare(n.Lhs...)
		case *ast.RangeStmt:
			declare(n.Key, n.Value)
		}
		return true
	})
	return names
}
