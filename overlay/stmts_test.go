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
)

// The programs below testdata/stmts have, above or in a function, comments of the form
//
//	// want func=2 for#1=3 if#1.then=1 func#1:for#1=4
//
// with the passages of the function itself and of the markers in it. All markers of such a function must
// be named, so that none appears or gets lost unseen.

// stmtReport is the part of report -format json that is looked at.
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
	folders, err := os.ReadDir("../testdata/stmts")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		t.Run(f.Name(), func(t *testing.T) {
			t.Parallel()
			stmtCheck(t, trapCopy(t, "stmts/"+f.Name(), nil), "example.com/traps/stmts/"+f.Name()+".")
		})
	}
}

func stmtCheck(t *testing.T, dir, prefix string) {
	markgen := trapMarkgen(t)
	out := t.TempDir()
	marked, data := filepath.Join(out, "program"), filepath.Join(out, "run.markgen")
	trapMust(t, dir, nil, markgen, "build", "-all", "-o", marked, ".")
	plain := trapMust(t, dir, nil, "go", "run", ".")
	run := trapRun(t, out, []string{"MARKGEN=collect=time,file=" + data}, marked)
	trapCompare(t, "collecting", run, plain)
	text := trapMust(t, out, nil, markgen, "report", "-format", "json", data).stdout
	var report stmtReport
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !report.Complete {
		t.Errorf("the data of a program that ended are said to be incomplete, state %q", report.State)
	}
	want, funcs := stmtWants(t, filepath.Join(dir, "main.go"), prefix)
	if len(want) == 0 {
		t.Fatal("no want comments")
	}
	for _, m := range report.Markers {
		n, ok := want[m.Name]
		delete(want, m.Name)
		top, _, _ := strings.Cut(m.Name, ":")
		switch {
		case !ok && funcs[top]:
			t.Errorf("main.go:%d: %s has %d passages and is not wanted", m.Line, m.Name, m.Count)
		case ok && m.Count != n:
			t.Errorf("main.go:%d: %s has %d passages, want %d", m.Line, m.Name, m.Count, n)
		}
		if m.Open != 0 {
			t.Errorf("main.go:%d: %s has %d open scopes at the end", m.Line, m.Name, m.Open)
		}
	}
	for name, n := range want {
		t.Errorf("%s is not in the report, want %d passages", name, n)
	}
}

// stmtWants returns the wanted counts by full name, and the full names of the functions that have any.
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

// stmtName is the name of a function as markers have it.
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
