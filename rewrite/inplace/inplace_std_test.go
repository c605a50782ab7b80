package inplace

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"testing"

	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/tier"
)

// exports returns the export data files of the packages and their dependencies, by import path.
func exports(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-deps", "-export", "-json=ImportPath,Export"}, patterns...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for dec := json.NewDecoder(out); ; {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		files[p.ImportPath] = p.Export
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return files
}

// stdPackages calls visit for the packages of the standard library, with their sources.
func stdPackages(t testing.TB, visit func(path string, files []rewrite.Source)) {
	t.Helper()
	tier.StandardLibrary(t, func(path string, names []string) {
		var files []rewrite.Source
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, rewrite.Source{Name: name, Text: text})
		}
		visit(path, files)
	})
}

// Every file of the standard library can be marked; the marked file type-checks and is gofmt'ed if
// the original is, and Strip restores the original.
func TestInPlaceOfStandardLibrary(t *testing.T) {
	files := exports(t, "std", testRuntime)
	lookup := func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			path = "vendor/" + path
		}
		return os.Open(files[path])
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", lookup)
	check := func(path string, texts map[string][]byte) (errs []error) {
		var parsed []*ast.File
		for name, text := range texts {
			f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
			if err != nil {
				return []error{err}
			}
			parsed = append(parsed, f)
		}
		conf := types.Config{Importer: imports, Sizes: types.SizesFor("gc", "amd64"), Error: func(err error) { errs = append(errs, err) }}
		_, _ = conf.Check(path, fset, parsed, nil)
		return errs
	}
	checked, compared, packages := 0, 0, 0
	of := 9 // outside make corpus, only every ninth package
	if tier.InCorpus() {
		of = 1
	}
	stdPackages(t, func(path string, sources []rewrite.Source) {
		if packages++; packages%of != 0 {
			return
		}
		texts := map[string][]byte{}
		for _, s := range sources {
			texts[s.Name] = s.Text
		}
		marked := markInPlace(t, path, sources, rewrite.Options{All: true}, Options{})
		for _, s := range sources {
			text, ok := marked[s.Name]
			if !ok {
				continue
			}
			back, err := Strip(s.Name, text)
			if err != nil || !bytes.Equal(back, s.Text) {
				t.Errorf("%s is not what it was, %v", s.Name, err)
			}
			if compared++; formatted(s.Text) && !formatted(text) {
				t.Errorf("%s: gofmt would change what was marked", s.Name)
			}
			checkBlank(t, text, s.Text)
		}
		plain := maps.Clone(texts)
		maps.Copy(texts, marked)
		errs := check(path, texts)
		if files[path] == "" || len(errs) > 0 && check(path, plain) != nil {
			return // not for this platform, or with cgo files
		}
		for _, err := range errs {
			t.Error(err)
		}
		checked++
	})
	if checked < 250/of || compared < 1000/of {
		t.Errorf("only %d packages and %d files were checked", checked, compared)
	}
}
