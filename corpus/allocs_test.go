package corpus

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/tier"
)

// allocationPackages are packages of the standard library with tests of allocations. Others are slow,
// or imported by the runtime of marked programs, which is why they have no markers.
var allocationPackages = []string{"bufio", "context", "encoding/binary", "fmt", "io", "log", "log/slog", "mime", "net/netip",
	"path", "path/filepath", "sort", "strconv", "strings"}

// TestAllocsPerRun runs tests of the standard library that call testing.AllocsPerRun, and expects
// the same outcome with the package marked, while scopes are recorded. (TestCorpus compares all tests of
// its entries; none of its modules has a test of allocations.)
func TestAllocsPerRun(t *testing.T) {
	tier.Corpus(t)
	exe, err := markgen()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOMAXPROCS", "1") // some of them check nothing on several processors
	exceptions, err := readExceptions("exceptions.txt")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	tier.StandardLibrary(t, func(path string, names []string) {
		if !slices.Contains(allocationPackages, path) || *choice != "" && *choice != "all" && !slices.Contains(strings.Split(*choice, ","), path) {
			return
		}
		t.Run(path, func(t *testing.T) {
			tests := allocationTests(t, filepath.Dir(names[0]))
			e := entry{name: path, packages: []string{path}}
			w := &workplace{entry: e, exe: exe, dir: prepare(t, e), out: t.TempDir()}
			data := filepath.Join(w.out, "allocs.markgen")
			flags := []string{"-vet=off", "-run=^(" + strings.Join(tests, "|") + ")$"}
			plain, _ := w.goTest(t, "plain", flags)
			marked, _ := w.markgenTest(t, "marked", append([]string{"-all", "-o", data}, w.markFlags()...), flags)
			want, got := outcomes(plain), outcomes(marked)
			if slices.Contains(slices.Collect(maps.Values(want)), "pass") && w.scopes(t, data) == 0 {
				t.Error("no marker was passed")
			}
			for _, name := range sortedKeys(want, got) {
				if want[name] != got[name] && !excepted(exceptions, path, "allocs", name) {
					t.Errorf("%s: %s plain, %s marked\n%s", name, cmp.Or(want[name], "absent"), cmp.Or(got[name], "absent"), outputOf(marked, name))
				}
			}
			compared += len(want) - 1
			t.Logf("%d tests", len(want)-1)
		})
	})
	if t.Logf("%d tests compared", compared); compared == 0 && *choice == "all" {
		t.Error("nothing was compared")
	}
}

// allocationTests returns the names of the tests in a directory that call testing.AllocsPerRun.
func allocationTests(t *testing.T, dir string) (tests []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Test") || fn.Body == nil {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if ok && s.Sel.Name == "AllocsPerRun" && !slices.Contains(tests, fn.Name.Name) {
					tests = append(tests, fn.Name.Name)
				}
				return true
			})
		}
	}
	return tests
}
