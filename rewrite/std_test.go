package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"testing"
	"time"

	"github.com/markgen/markgen/tier"
)

// stdPackages calls visit for the packages of the standard library, with their sources.
func stdPackages(t testing.TB, visit func(path string, files []Source)) {
	t.Helper()
	tier.StandardLibrary(t, func(path string, names []string) {
		var files []Source
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, Source{Name: name, Text: text})
		}
		visit(path, files)
	})
}

// Every marked file of the standard library parses, and has the same number of declarations and
// every function on the same line.
func TestOverlayOfStandardLibrary(t *testing.T) {
	var bytes, points int
	var spent time.Duration
	stdPackages(t, func(path string, files []Source) {
		start := time.Now()
		u, err := Load(path, files)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		if err := u.Find(Options{All: true, Cover: true}); err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		out, err := u.Overlay(Overlay{Runtime: "markgen/perf"})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		spent += time.Since(start)
		points += len(u.Points)
		for _, f := range files {
			bytes += len(f.Text)
			if text, ok := out[f.Name]; ok {
				checkLines(t, f, text)
			}
		}
	})
	t.Logf("%d points, %.1f MB of source, %.1f MB/s", points, float64(bytes)/1e6, float64(bytes)/1e6/spent.Seconds())
}

func checkLines(t *testing.T, f Source, marked []byte) {
	t.Helper()
	before, after := declLines(t, f.Name, f.Text), declLines(t, f.Name, marked)
	for name, line := range before {
		if after[name] != line {
			t.Errorf("%s: %s is on line %d, was on %d", f.Name, name, after[name], line)
		}
	}
}

func declLines(t *testing.T, name string, text []byte) map[string]int {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v", err)
	}
	lines := map[string]int{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name != "init" && fn.Name.Name != "_" {
			lines[declName(fn)] = fset.Position(fn.Pos()).Line
			lines[declName(fn)+" end"] = fset.Position(fn.End()).Line
		}
	}
	return lines
}
