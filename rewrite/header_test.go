package rewrite

import (
	"go/token"
	"testing"
)

// The hash of a part of a file depends only on its hashed bytes, wherever it starts and ends.
func TestBodyHash(t *testing.T) {
	text := "package p\n\nfunc f() { // a comment that is longer than one word of the table, to cross a border\n\tx := 1\n\t_ = x /* another */ + 2\n}\n"
	u, err := Load("p", []Source{{"p.go", []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	f := u.files[0]
	inComment := func(i int) bool {
		for _, g := range f.ast.Comments {
			if i >= f.offset(g.Pos()) && i < f.offset(g.End()) {
				return true
			}
		}
		return false
	}
	for from := 0; from <= len(text); from++ {
		for to := from; to <= len(text); to++ {
			var want uint64
			for i := from; i < to; i++ {
				switch c := text[i]; {
				case c == ' ' || c == '\t' || c == '\n' || inComment(i):
				default:
					want = want*hashBase + uint64(c) + 1
				}
			}
			want ^= want >> 29
			if got := f.body(token.Pos(f.tok.Base()+from), token.Pos(f.tok.Base()+to)); got != want {
				t.Fatalf("%d to %d: %x, want %x", from, to, got, want)
			}
		}
	}
}
