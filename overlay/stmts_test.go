package overlay_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/markgen/markgen/tier"
)

// The programs below testdata/stmts have, above or in a function, comments of the form
//
//	// want func=2 for#1=3 if#1.then=1 func#1:for#1=4
//
// with the counts of the function itself and of the markers in it. All markers of such a function
// must be listed, so that additional and missing ones are detected.

// stmtReport is the relevant part of report -format json.
type stmtReport struct {
	State    string `json:"state"`
	Complete bool   `json:"complete"`
	Markers  []struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		Kind  string `json:"kind"`
		Line  int    `json:"line"`
		Count uint64 `json:"count"`
		Open  int    `json:"open"`
	} `json:"markers"`
}

func TestStatementCounts(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	folders, err := os.ReadDir("../testdata/stmts")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range folders {
		all = append(all, "stmts/"+f.Name())
	}
	dir, out := trapCopy(t, nil, all...), t.TempDir()
	plain, marked := filepath.Join(out, "plain"), filepath.Join(out, "marked")
	trapMust(t, dir, nil, trapMarkgen(t), "build", "-all", "-o", marked+"/", "./...")
	trapMust(t, dir, nil, "go", "build", "-o", plain+"/", "./...")
	for _, f := range folders {
		t.Run(f.Name(), func(t *testing.T) {
			t.Parallel()
			want := trapMust(t, t.TempDir(), nil, filepath.Join(plain, f.Name()))
			stmtCheck(t, filepath.Join(dir, "stmts", f.Name()), filepath.Join(marked, f.Name()), want)
		})
	}
}

// stmtCheck compares the output and the counts of a directory's marked program with the output of
// the plain one and with the comments in the source.
func stmtCheck(t *testing.T, dir, marked string, want trapResult) {
	out := t.TempDir()
	data := filepath.Join(out, "run.markgen")
	run := trapRun(t, out, []string{"MARKGEN=collect=time,file=" + data}, marked)
	trapCompare(t, "collecting", run, want)
	text := trapMust(t, out, nil, trapMarkgen(t), "report", "-format", "json", data).stdout
	var report stmtReport
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !report.Complete {
		t.Errorf("the data of a program that ended are said to be incomplete, state %q", report.State)
	}
	wants, funcs := stmtWants(t, filepath.Join(dir, "main.go"), "example.com/traps/stmts/"+filepath.Base(dir)+".")
	if len(wants) == 0 {
		t.Fatal("no want comments")
	}
	for _, m := range report.Markers {
		n, ok := wants[m.Name]
		delete(wants, m.Name)
		top, _, _ := strings.Cut(m.Name, ":")
		switch {
		case !ok && funcs[top]:
			t.Errorf("main.go:%d: %s has %d scopes and is not wanted", m.Line, m.Name, m.Count)
		case ok && m.Count != n:
			t.Errorf("main.go:%d: %s has %d scopes, want %d", m.Line, m.Name, m.Count, n)
		}
		if m.Open != 0 {
			t.Errorf("main.go:%d: %s has %d open scopes at the end", m.Line, m.Name, m.Open)
		}
	}
	for name, n := range wants {
		t.Errorf("%s is not in the report, want %d scopes", name, n)
	}
}

// stmtWants returns the wanted counts by full name, and the full names of the functions that have
// any.
func stmtWants(t *testing.T, file, prefix string) (map[string]uint64, map[string]bool) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	want, funcs := make(map[string]uint64), make(map[string]bool)
	for _, decl := range f.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		top := prefix + stmtName(fn)
		from := fn.Pos()
		if fn.Doc != nil {
			from = fn.Doc.Pos()
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				words, ok := strings.CutPrefix(c.Text, "// want ")
				if !ok || c.Pos() < from || c.Pos() > fn.End() {
					continue
				}
				funcs[top] = true
				for word := range strings.FieldsSeq(words) {
					name, count, _ := strings.Cut(word, "=")
					n, err := strconv.ParseUint(count, 10, 64)
					if err != nil {
						t.Fatalf("%s: %q: %v", fset.Position(c.Pos()), word, err)
					}
					full := top + ":" + name
					if name == "func" {
						full = top
					}
					if _, ok := want[full]; ok {
						t.Fatalf("%s: %q comes twice", fset.Position(c.Pos()), word)
					}
					want[full] = n
				}
			}
		}
	}
	return want, funcs
}

// stmtName returns the name of a function as in markers.
func stmtName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	switch typ := fn.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		return "(*" + typ.X.(*ast.Ident).Name + ")." + fn.Name.Name
	case *ast.Ident:
		return typ.Name + "." + fn.Name.Name
	}
	return ""
}
