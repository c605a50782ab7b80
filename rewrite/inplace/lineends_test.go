package inplace

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/markgen/markgen/rewrite"
)

// A checkout with CRLF is marked like one with LF, with the same tables and so the same IDs, and
// marks made in one can be stripped in the other.
func TestInPlaceOfLineEnds(t *testing.T) {
	names, _ := filepath.Glob("../../testdata/*/*/*.go*")
	own, _ := filepath.Glob("*.go")
	files := map[string][]byte{"header.go": []byte("package p\n\nfunc f(a int, /* over\nlines */ b int) int { return a }\n\ntype T struct{}\n\n" +
		"func (T) x() int   { return 1 }\nfunc (T) yyy() int { return 2 } // aligned\n\nvar s = `raw\nstring`\n")}
	for _, name := range append(names, own...) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rewrite.Load("p", []rewrite.Source{{Name: name, Text: text}}); err == nil {
			files[name] = text
		}
	}
	marked := 0
	for name, text := range files {
		inLF := markInPlace(t, "example.com/p", []rewrite.Source{{Name: name, Text: text}}, rewrite.Options{All: true}, Options{})
		inCRLF := markInPlace(t, "example.com/p", []rewrite.Source{{Name: name, Text: rewrite.WithReturns(text)}}, rewrite.Options{All: true}, Options{})
		if len(inCRLF) != len(inLF) {
			t.Errorf("%s: %d files with CRLF, %d with LF", name, len(inCRLF), len(inLF))
		}
		for file, want := range inLF {
			if file == name {
				want = rewrite.WithReturns(want)
				marked++
			}
			if !bytes.Equal(inCRLF[file], want) {
				t.Errorf("%s with CRLF is\n%q\nwant\n%q", file, inCRLF[file], want)
			}
		}
		if inLF[name] == nil {
			continue
		}
		if back, err := Strip(name, rewrite.WithReturns(inLF[name])); err != nil || !bytes.Equal(back, rewrite.WithReturns(text)) {
			t.Errorf("%s: marked with LF, checked out with CRLF and stripped, it is (%v)\n%q", name, err, back)
		}
		if back, err := Strip(name, bytes.ReplaceAll(inCRLF[name], []byte("\r\n"), []byte("\n"))); err != nil || !bytes.Equal(back, text) {
			t.Errorf("%s: marked with CRLF, checked out with LF and stripped, it is (%v)\n%q", name, err, back)
		}
	}
	if marked < 30 {
		t.Errorf("only %d files were marked", marked)
	}
}
