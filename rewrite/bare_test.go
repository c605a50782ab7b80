package rewrite

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"strings"
	"testing"

	"github.com/markgen/markgen/tier"
)

func TestBare(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"lines", "package p // p\n\n// F is f.\nfunc F() { // so\n\t// nothing\n}\n", "package p // p\n\n\nfunc F() {\n\n}\n"},
		{"between", "package p\n\nfunc F(a /* first */, b int) {}\n", "package p\n\nfunc F(a            , b int) {}\n"},
		{"over lines", "package p\n\nvar a = 1 + /* one\nor */ 2; var b /* two */ = 2 // three\n", "package p\n\nvar a = 1 +\n      2; var b           = 2\n"},
		{"two at the end", "package p\n\nvar a = 1 /* one */ // or two\n", "package p\n\nvar a = 1\n"},
		{"at the end", "package p\n\nvar a = 1\n\n// Nothing follows.\n", "package p\n\nvar a = 1\n"},
		{"no newline", "package p\n\nvar a = 1 // one", "package p\n\nvar a = 1\n"},
		{"carriage returns", "package p\r\n\r\n// A is\r\nvar A = 1 /* one\r\n*/\r\nvar b = 2\r\n", "package p\n\n\nvar A = 1\n\nvar b = 2\n"},
		{"some of them", "package p\r\n\r\n// A is\r\nvar A = 1 /* one\r\n*/\r\nvar b = 2\n", "package p\r\n\r\n\r\nvar A = 1\r\n\r\nvar b = 2\n"},
		{"in strings", "package p\n\nvar a = \"// a\" + `/* b */  \n// c` // d\n", "package p\n\nvar a = \"// a\" + `/* b */  \n// c`\n"},
		{"directives", "package p\n\n// F is f.\n//\n//go:noinline\nfunc F() {}\n", "package p\n\n\n\n//go:noinline\nfunc F() {}\n"},
		{"constraints", "// Old.\n\n// +build linux\n\n// Package p is p.\npackage p\n\nvar a = 1 // one\n", "// Old.\n\n// +build linux\n\n// Package p is p.\npackage p\n\nvar a = 1\n"},
		{"line directives", "package p\n\n//line x.y:1\nvar a = 1 // one\n", "package p\n\n//line x.y:1\nvar a = 1 // one\n"},
		{"cgo", "package p\n\n// int a;\nimport \"C\"\n", "package p\n\n// int a;\nimport \"C\"\n"},
	} {
		u, err := Load("p", []Source{{"p.go", []byte(tt.text)}})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := string(without(u.files[0].bare())); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Test files keep their comments, which have the expected output of examples.
func TestBareTests(t *testing.T) {
	text := "package p\n\nfunc Example() {\n\t// Output:\n}\n"
	u, err := Load("p", []Source{{"p_test.go", []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(u.files[0].bare()); got != text {
		t.Errorf("%q", got)
	}
}

// In the standard library every token stays on its line, and the marked text does not depend on the
// text of comments.
func TestBareStandardLibrary(t *testing.T) {
	marked := func(path string, files []Source) map[string][]byte {
		u, err := Load(path, files)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, f := range u.files {
			if before, after := tokenLines(f.Text), tokenLines(without(f.bare())); before != after {
				t.Errorf("%s: tokens differ", f.Name)
			}
		}
		if err := u.Find(Options{All: true}); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out, err := u.Overlay(Overlay{Runtime: "markgen/perf"})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return out
	}
	stdPackages(t, func(path string, files []Source) {
		if !tier.InCorpus() && strings.Contains(path, "/") {
			return
		}
		var others []Source
		for _, f := range files {
			others = append(others, Source{f.Name, rephrased(f.Text)})
		}
		before, after := marked(path, files), marked(path, others)
		for name, text := range before {
			if !bytes.Equal(text, after[name]) && !bytes.Contains(text, []byte("//line ")) {
				t.Errorf("%s: changes with its comments", name)
			}
		}
	})
}

// tokenLines returns the tokens of a text, except comments, with their lines.
func tokenLines(text []byte) string {
	var b strings.Builder
	scan(text, 0, func(pos token.Position, tok token.Token, lit string) {
		fmt.Fprintln(&b, pos.Line, tok, lit)
	})
	return b.String()
}

// rephrased returns a text with other words in the comments after the package clause that are not
// directives.
func rephrased(text []byte) []byte {
	out := bytes.Clone(text)
	clause, words := 0, 0
	scan(text, scanner.ScanComments, func(pos token.Position, tok token.Token, lit string) {
		switch {
		case tok == token.PACKAGE:
			clause = pos.Line
		case tok == token.IMPORT || tok == token.FUNC || tok == token.VAR || tok == token.CONST || tok == token.TYPE:
			words++
		case tok == token.COMMENT && clause > 0 && pos.Line > clause && words > 0 && !strings.HasPrefix(lit, goDirective) &&
			!strings.HasPrefix(lit, "//line ") && !strings.HasPrefix(lit, "/*line ") && !strings.HasPrefix(lit, "//perf:") && !strings.Contains(lit, "#cgo"):
			for i := pos.Offset + 2; i < pos.Offset+len(lit)-2; i++ {
				if out[i] >= 'a' && out[i] < 'z' {
					out[i]++
				}
			}
		}
	})
	return out
}

func scan(text []byte, mode scanner.Mode, visit func(pos token.Position, tok token.Token, lit string)) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, mode)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return
		}
		visit(file.PositionFor(pos, false), tok, lit)
	}
}
