package rewrite

import (
	"strings"
	"testing"
)

// The scopes of a marked copy are local variables if only returns leave it and nothing jumps into a
// scope.
func TestFramed(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		framed     bool
	}{
		{"loop", "for i := range n {\n\ts += i\n}", true},
		{"number", "for range 19 {\n\ts++\n}", true},
		{"calls", "for i := range n {\n\ts += other(i)\n}", false},
		{"over a function of the package", "for x := range all {\n\ts += x\n}", false},
		{"jump into a scope", "for i := range n {\n\tif i > 0 {\n\t\tgoto L\n\t}\n\t//perf:begin r\n\ts++\nL:\n\ts += 2\n\t//perf:end r\n}", false},
	} {
		src := "package p\n\n//perf:mark\nfunc f(n int) int {\n\ts := 0\n" + tt.body + "\n\treturn s\n}\n\nfunc other(x int) int\n\nfunc all(yield func(int) bool)\n"
		u, err := Load("example.com/p", []Source{{Name: "p.go", Text: []byte(src)}})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if err := u.Find(Options{Inline: true}); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		out, err := u.Overlay(Overlay{Runtime: "markgen/perf"})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := strings.Contains(string(out["p.go"]), ".IntoTally("); got != tt.framed {
			t.Errorf("%s: values %v, want %v\n%s", tt.name, got, tt.framed, out["p.go"])
		}
	}
}
