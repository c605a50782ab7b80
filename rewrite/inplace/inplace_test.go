package inplace

import (
	"bytes"
	"go/format"
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/tier"
)

const testRuntime = "github.com/markgen/markgen/runtime/perf"

// markInPlace marks a unit and returns the texts of the files that change.
func markInPlace(t testing.TB, path string, files []rewrite.Source, o rewrite.Options, p Options) map[string][]byte {
	t.Helper()
	u, err := rewrite.Load(path, files)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Find(o); err != nil {
		t.Fatal(err)
	}
	ids, _ := new(registry.Registry).Assign([]string{path}, u.RegistryPoints())
	u.SetIDs(ids)
	if p.Runtime == "" {
		p.Runtime = testRuntime
	}
	out, err := Mark(u, p)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return out
}

// markAll marks all functions, loops and branches of one file.
func markAll(t testing.TB, name string, text []byte) []byte {
	t.Helper()
	out, ok := markInPlace(t, "example.com/p", []rewrite.Source{{Name: name, Text: text}}, rewrite.Options{All: true}, Options{})[name]
	if !ok {
		return text
	}
	return out
}

// checkRoundTrip checks that a file can be marked, that Strip restores it, and that marking the
// result gives the same text. If the original is gofmt'ed, the marked text must be too.
func checkRoundTrip(t *testing.T, name string, text []byte) (marked []byte) {
	t.Helper()
	marked = markAll(t, name, text)
	back, err := Strip(name, marked)
	if err != nil {
		t.Errorf("%v in\n%s", err, marked)
		return marked
	}
	if !bytes.Equal(back, text) {
		t.Errorf("%s: the original was\n%q\nand came back as\n%q", name, text, back)
	}
	if again := markAll(t, name, back); !bytes.Equal(again, marked) {
		t.Errorf("%s: marked twice it is\n%s\nand was\n%s", name, again, marked)
	}
	if formatted(text) && !formatted(marked) {
		t.Errorf("%s: gofmt would change\n%s", name, marked)
	}
	return marked
}

// A golden file shows the inserted code for each kind of statement.
func TestInPlaceGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/inplace/*.go")
	if err != nil || len(names) == 0 {
		t.Fatal("no sources")
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(name)
		out := markInPlace(t, "example.com/p", []rewrite.Source{{Name: base, Text: text}}, rewrite.Options{All: strings.HasPrefix(base, "all")}, Options{})
		for file, marked := range out {
			golden.Check(t, strings.TrimSuffix(base, ".go")+"/"+file+".golden", marked)
		}
		checkRoundTrip(t, base, text)
	}
}

// The programs under testdata/traps can be marked, and Strip restores them.
func TestInPlaceTraps(t *testing.T) {
	names, _ := filepath.Glob("../../testdata/*/*/*.go*")
	if len(names) < 30 {
		t.Fatalf("only %d files", len(names))
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rewrite.Load("p", []rewrite.Source{{Name: name, Text: text}}); err != nil {
			continue
		}
		checkRoundTrip(t, name, text)
	}
}

// oddities are layouts of a program that gofmt would change.
var oddities = map[string]func(text []byte, r *rand.Rand) []byte{
	"crlf": func(text []byte, _ *rand.Rand) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) },
	"bom":  func(text []byte, _ *rand.Rand) []byte { return append([]byte("\uFEFF"), text...) },
	"no newline at the end": func(text []byte, _ *rand.Rand) []byte {
		return bytes.TrimRight(text, "\n")
	},
	"spaces for tabs": func(text []byte, _ *rand.Rand) []byte { return bytes.ReplaceAll(text, []byte("\t"), []byte("  ")) },
	"one line": func(text []byte, _ *rand.Rand) []byte {
		return respell(text, func(bool) string { return " " })
	},
	"tight": func(text []byte, _ *rand.Rand) []byte {
		return respell(text, func(semicolon bool) string {
			if semicolon {
				return ""
			}
			return " "
		})
	},
	"random": func(text []byte, r *rand.Rand) []byte {
		return respell(text, func(semicolon bool) string {
			gaps := []string{" ", "  ", "\t", " /* c */ "}
			if semicolon {
				gaps = append(gaps, "\n", "\n\t", "\r\n", " // c\n", "\n\n")
			}
			return gaps[r.IntN(len(gaps))]
		})
	},
}

// respell returns the tokens of a file with explicit semicolons, and the result of gap between
// them. semicolon is true after a semicolon, brace or colon, where a line may end.
func respell(text []byte, gap func(semicolon bool) string) []byte {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	var out []byte
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return out
		case tok == token.SEMICOLON:
			lit = ";"
		case lit == "" || tok.IsOperator():
			lit = tok.String()
		}
		out = append(out, lit...)
		out = append(out, gap(tok == token.SEMICOLON || tok == token.LBRACE || tok == token.COLON)...)
	}
}

// However a file is formatted, Strip restores it; if it is formatted after marking, Strip restores
// its tokens.
func TestInPlaceOfOddities(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	files, _ := filepath.Glob("*.go")
	for name, oddity := range oddities {
		t.Run(name, func(t *testing.T) {
			for i, file := range files {
				if i%3 != 0 && !tier.InCorpus() {
					continue
				}
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				odd := oddity(text, r)
				if _, err := rewrite.Load("p", []rewrite.Source{{Name: file, Text: odd}}); err != nil {
					t.Fatalf("%v in\n%s", err, odd)
				}
				marked := checkRoundTrip(t, file, odd)
				back, err := Strip(file, pretty(t, marked))
				if err != nil {
					t.Errorf("%s: %v", file, err)
				} else if !bytes.Equal(tokens(pretty(t, back)), tokens(pretty(t, odd))) {
					t.Errorf("%s: formatted in between, it came back as\n%s", file, back)
				}
			}
		})
	}
}

// pretty formats a file until nothing changes: gofmt needs several passes for code on one line.
func pretty(t *testing.T, text []byte) []byte {
	t.Helper()
	for range 3 {
		var err error
		if text, err = format.Source(text); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
	}
	return text
}

// tokens returns the tokens of a file, one per line, without those that formatting may add or
// remove.
func tokens(text []byte) []byte {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	var out []byte
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return out
		}
		if tok != token.SEMICOLON && tok != token.COMMA {
			out = append(append(append(out, tok.String()...), lit...), '\n')
		}
	}
}
