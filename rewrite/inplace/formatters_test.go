package inplace

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/imports"

	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/tier"
)

// formatters lists the formatters that this module has as libraries. The command's tests run
// others.
var formatters = map[string]func(text []byte) ([]byte, error){
	"gofmt": format.Source,
	"goimports": func(text []byte) ([]byte, error) {
		return imports.Process("p.go", text, &imports.Options{FormatOnly: true, Comments: true, TabIndent: true, TabWidth: 8})
	},
}

// After any number of rounds of marking, formatting and stripping, a file is as if only formatted,
// and marking does not change a marked and formatted file.
func TestFormatted(t *testing.T) {
	names, err := filepath.Glob("testdata/imports/*.go")
	if err != nil || len(names) == 0 {
		t.Fatal("no sources")
	}
	for _, runtime := range []string{testRuntime, "example.com/m/internal/markgen/perf", "m/internal/markgen/perf"} {
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			checkFormatted(t, filepath.Base(name), text, runtime)
			// If gofmt would change the file, a function on one line is marked within the line,
			// which gofmt then breaks.
			if !bytes.Contains(text, []byte(" }\n")) {
				checkFormatted(t, "crlf "+filepath.Base(name), bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")), runtime)
			}
		}
	}
}

func checkFormatted(t *testing.T, name string, text []byte, runtime string) {
	t.Helper()
	mark := func(text, now []byte) []byte {
		in := Options{Runtime: runtime, Now: map[string][]byte{name: now}}
		return markInPlace(t, "example.com/m", []rewrite.Source{{Name: name, Text: text}}, rewrite.Options{All: true}, in)[name]
	}
	marked := mark(text, text)
	if back, err := Strip(name, marked); err != nil || !bytes.Equal(back, text) {
		t.Errorf("%s is not what it was, %v:\n%s", name, err, back)
	}
	for formatter, f := range formatters {
		want, err := f(text)
		if err != nil {
			t.Fatal(err)
		}
		now := text
		for round := range 3 {
			marked := mark(now, now)
			formatted, err := f(marked)
			if err != nil {
				t.Fatalf("%s: %v in\n%s", formatter, err, marked)
			}
			if bytes.Equal(now, want) && !bytes.Equal(formatted, marked) {
				t.Errorf("%s: %s makes\n%s\nof\n%s", name, formatter, formatted, marked)
			}
			back, err := Strip(name, formatted)
			if err != nil {
				t.Fatalf("%s: %v in\n%s", name, err, formatted)
			}
			if !bytes.Equal(back, want) {
				t.Errorf("%s, round %d: with %s it became\n%s\nand then\n%s\nwant\n%s", name, round+1, formatter, formatted, back, want)
			}
			if again := mark(back, formatted); !bytes.Equal(again, formatted) {
				t.Errorf("%s: %s made\n%s\nand marked again, it is\n%s", name, formatter, formatted, again)
			}
			now = back
		}
	}
}

// Changes of formatters to the import and to long lines are kept, and the table does not change.
func TestReformattedStays(t *testing.T) {
	const name, runtime = "p.go", "example.com/m/internal/markgen/perf"
	source := "package p\n\nimport (\n\t\"fmt\"\n\n\t\"golang.org/x/mod/semver\"\n)\n\n//perf:mark\nfunc f() {\n\tfmt.Println(semver.Max)\n}\n\n//perf:mark\nfunc g() {\n}\n"
	out := markInPlace(t, "example.com/p", []rewrite.Source{{Name: name, Text: []byte(source)}}, rewrite.Options{}, Options{Runtime: runtime})
	table := string(out["markgen_table.go"])
	now := strings.NewReplacer(
		"\t\"golang.org/x/mod/semver\"\n\n\tperf \""+runtime+"\"\n", "\tperf \""+runtime+"\"\n\t\"golang.org/x/mod/semver\"\n",
		"\t\tdefer perf.Enter(&perfmarks.f).Exit()\n", "\t\tdefer perf.Enter(\n\t\t\t&perfmarks.f,\n\t\t).\n\t\t\tExit()\n",
	).Replace(string(out[name]))
	if strings.Count(now, "\n") != strings.Count(string(out[name]), "\n")+2 {
		t.Fatalf("marked in another way than expected:\n%s", now)
	}
	plain, err := Strip(name, []byte(now))
	if err != nil || string(plain) != source {
		t.Fatalf("%v, stripped it is\n%s", err, plain)
	}
	mark := func(now string) map[string][]byte {
		return markInPlace(t, "example.com/p", []rewrite.Source{{Name: name, Text: plain}}, rewrite.Options{}, Options{Runtime: runtime, Now: map[string][]byte{name: []byte(now)}})
	}
	out = mark(now)
	if string(out[name]) != now {
		t.Errorf("it did not stay, but is\n%s", out[name])
	}
	if again := string(out["markgen_table.go"]); again != table {
		t.Errorf("the table has changed from\n%s\nto\n%s", table, again)
	}
	for _, changed := range []string{
		strings.Replace(now, "&perfmarks.f", "&perfmarks.h", 1),
		strings.Replace(now, runtime, testRuntime, 1),
	} {
		if out := mark(changed); string(out[name]) == changed {
			t.Errorf("this stayed:\n%s", changed)
		}
	}
}

// The same holds for the files of the standard library.
func TestFormattedStandardLibrary(t *testing.T) {
	compared, packages := 0, 0
	stdPackages(t, func(path string, sources []rewrite.Source) {
		if packages++; !tier.InCorpus() && packages%30 != 0 {
			return
		}
		marked := markInPlace(t, path, sources, rewrite.Options{All: true}, Options{})
		for _, s := range sources {
			text, ok := marked[s.Name]
			if !ok {
				continue
			}
			for name, f := range formatters {
				want, err := f(s.Text)
				if err != nil {
					t.Fatal(err)
				}
				formatted, err := f(text)
				if err != nil {
					t.Fatal(err)
				}
				if back, err := Strip(s.Name, formatted); err != nil || !bytes.Equal(back, want) {
					t.Errorf("%s, formatted by %s, is not what it was, %v", s.Name, name, err)
				}
				compared++
			}
		}
	})
	if compared < 30 {
		t.Errorf("only %d files were compared", compared)
	}
}
