package cover

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/rewrite/gc"
)

// TestCounts checks which counts of blocks follow from those of scopes. Scopes are in source order,
// the function first: "5", or "5/1" if one is still open, or "-" if it is not marked. A block whose
// count does not follow is "?"; blocks are in source order, too.
func TestCounts(t *testing.T) {
	for _, tt := range []struct{ body, scopes, want string }{
		{"a()", "5", "5"},
		{"a()", "-", "?"},
		{"if x { return }; a()", "5 2", "5 2 3"},
		{"if x { a() }; b()", "5 2", "5 2 5"},
		{"if x { a() }; b()", "5 -", "5 ? 5"},
		{"if x { return }; b()", "5 -", "5 ? ?"},
		{"if x { panic(1) }; a()", "5 2", "5 2 3"},
		{"if x { return } else { a() }; b()", "5 2 3", "5 2 3 3"},
		{"if x { return } else { a() }; b()", "5 2 -", "5 2 3 3"},
		{"if x { return } else if y { return }; b()", "5 2 1", "5 2 3 1 2"},
		{"{ if x { return } }; a()", "5 - 2", "5 5 2 3"},
		{"for x { a() }; b()", "2 9", "2 9 2"},
		{"for x { if y { return }; a() }; b()", "2 9 1", "2 9 1 8 1"},
		{"for x { if y { break }; a() }; b()", "2 9 1", "2 9 1 8 2"},
		{"for x { if y { continue }; a() }; b()", "2 9 4", "2 9 4 5 2"},
		{"for { if y { break }; if x { return }; a() }; b()", "3 9 1 2", "3 9 1 8 2 6 1"},
		{"for range x { a() }; b()", "2 -", "2 ? 2"},
		{"L: for x { for y { if z { continue L }; if z { break L }; a() }; b() }; c()", "2 9 20 3 1", "2 9 20 3 17 1 16 5 2"},
		{"switch x { case 1: return; case 2: a() }; b()", "9 2 3", "9 2 3 7"},
		{"switch x { case 1: return; case 2: break; default: }; b()", "9 2 3 4", "9 2 3 4 7"},
		{"switch x { case 1: fallthrough; case 2: return }; b()", "9 2 3", "9 2 3 6"},
		{"switch x { case 1: if y { break }; return }; b()", "9 4 1", "9 4 1 3 6"},
		{"switch x.(type) { case int: return }; b()", "9 4", "9 4 5"},
		{"L: switch { case x: for { break L } }; b()", "9 4 4", "9 4 4 9"},
		{"select { case <-x: return; case <-y: a() }; b()", "9 4 5", "9 4 5 5"},
		{"select { }; b()", "3", "3 0"},
		{"L: a(); if x { goto L }; b()", "2 3", "2 5 3 2"},
		{"if x { goto L }; a(); L: b()", "5 2", "5 2 3 5"},
		{"L: a(); if x { return }; goto L", "2 2", "2 ? 2 ?"},
		{"L: a(); if x { return }; goto L", "0 0", "0 0 0 0"},
		{"L: for x { if y { goto L } }; b()", "2 9 1", "2 9 1 2"},
		{"f := func() { if x { return }; a() }; if y { return }; f()", "5 8 2 1", "5 8 2 6 5 1 4"},
		{"if x { a() }; b()", "1/1 1/1", "1 1 0"},
		{"a(); if x { return }; b()", "2/1 1", "2 1 1"},
		{"for x { a() }; b()", "1/1 3/1", "1 3 0"},
		{"for { select { case <-x: continue; case <-y: return } }", "1/1 3/1 2 0", "1 3 2 0"},
		{"for x { if y { continue }; a(); continue }; b()", "1/1 3/1 1", "1 3 1 2 0"},
	} {
		src := "package p\nfunc f() {" + tt.body + "}\n"
		fset, f := coverParse(t, "p.go", []byte(src))
		blocks := Blocks(fset, f, []byte(src), gc.Releases[0])
		var bodies []token.Pos
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				if clauses(n) == nil && src[n.Lbrace-1] == '{' {
					bodies = append(bodies, n.Lbrace)
				}
			case *ast.CaseClause:
				bodies = append(bodies, n.Colon)
			case *ast.CommClause:
				bodies = append(bodies, n.Colon)
			}
			return true
		})
		slices.Sort(bodies)
		scopes := map[token.Pos]Scope{}
		for i, field := range strings.Fields(tt.scopes) {
			var s Scope
			if n, _ := fmt.Sscanf(field, "%d/%d", &s.Entered, &s.Open); n > 0 {
				scopes[bodies[i]] = s
			}
		}
		byStart := map[token.Pos]string{}
		for i, c := range Counts(f, blocks, func(at token.Pos) (s Scope, ok bool) { s, ok = scopes[at]; return s, ok }) {
			if byStart[blocks[i].Start] = "?"; c.Known {
				byStart[blocks[i].Start] = fmt.Sprint(c.N)
			}
		}
		var got []string
		for _, start := range slices.Sorted(maps.Keys(byStart)) {
			got = append(got, byStart[start])
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s with %s: got %s, want %s", tt.body, tt.scopes, got, tt.want)
		}
	}
}
