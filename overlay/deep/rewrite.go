package deep

import (
	"cmp"
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A File is a file of package runtime.
type File struct {
	Name string // base name
	Text []byte
}

//go:embed _runtime/markgen.go
var added []byte

// addedName is the name of the file added to package runtime.
const addedName = "markgen.go"

// words are such that a file without any of them has none of the places.
var words = []string{"type g struct", "nextFree(", "allocLarge(", "tinyAllocs", "largeAlloc", "func goexit1", "func coroexit", "func newproc",
	"atomicstatus.CompareAndSwap(", "waitReasonStrings"}

// Rewrite returns the changed files of package runtime and the files added to it for a deep build.
// files are all the files that are compiled; release is for error messages. The error is a
// *ShapeError or a parse error.
func Rewrite(release string, files []File) ([]File, error) {
	r := &rewriter{fset: token.NewFileSet(), found: map[string]int{}}
	var changed []File
	for _, f := range files {
		if f.Name == addedName {
			r.miss(f.Name, "a file of this name is there already")
		}
		if !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(string(f.Text), w) }) {
			continue
		}
		tree, err := parser.ParseFile(r.fset, f.Name, f.Text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("package runtime of %s: %w", release, err)
		}
		r.edits = nil
		for _, d := range tree.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				r.goroutine(d)
				r.reasons(d)
			case *ast.FuncDecl:
				if d.Body != nil {
					r.ends(d)
					r.starts(f.Text, d)
					r.allocates(f.Text, d)
					r.statusChanges(f.Text, d)
				}
			}
		}
		if len(r.edits) > 0 {
			changed = append(changed, File{f.Name, r.apply(f.Text)})
		}
	}
	for _, p := range places {
		if r.found[p.what] == 0 {
			r.miss(p.file, "no "+p.what)
		}
	}
	if len(r.missing) > 0 {
		return nil, &ShapeError{Release: release, Missing: r.missing}
	}
	return append(changed, File{addedName, added}), nil
}

// A place must exist somewhere in the package; file has it in the known releases.
type place struct{ file, what string }

var places = []place{
	{"runtime2.go", theG},
	{"malloc.go", smallObject},
	{"malloc.go", largeObject},
	{"malloc.go", tinyObject},
	{"proc.go", endOf["goexit1"]},
	{"coro.go", endOf["coroexit"]},
	{"proc.go", startGoroutine},
	{"proc.go", newGoroutine},
	{"proc.go", statusLoop},
	{"proc.go", preemptLoop},
	{"proc.go", enterSyscall},
	{"proc.go", blockSyscall},
	{"runtime2.go", waitReasons},
}

// A ShapeError lists what is missing in package runtime of a release.
type ShapeError struct {
	Release string
	Missing []string // the differences, as "file[:line]: text"
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("package runtime of %s does not have the shape that -deep knows:\n\t%s", e.Release, strings.Join(e.Missing, "\n\t"))
}

// A rewriter looks for the places in one file after another.
type rewriter struct {
	fset    *token.FileSet
	edits   []edit // of the current file
	found   map[string]int
	missing []string
}

// An edit inserts text at an offset.
type edit struct {
	at   int
	text string
}

func (r *rewriter) insert(at token.Pos, text string) {
	r.edits = append(r.edits, edit{r.fset.Position(at).Offset, text})
}

// miss records something missing; where is a file or file:line.
func (r *rewriter) miss(where, what string) {
	r.missing = append(r.missing, where+": "+what)
}

// missAt is miss with a position.
func (r *rewriter) missAt(at token.Pos, what string) {
	p := r.fset.Position(at)
	r.miss(fmt.Sprintf("%s:%d", p.Filename, p.Line), what)
}

// apply returns text with the edits applied.
func (r *rewriter) apply(text []byte) []byte {
	slices.SortStableFunc(r.edits, func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	at := 0
	for _, e := range r.edits {
		out = append(append(out, text[at:e.at]...), e.text...)
		at = e.at
	}
	return append(out, text[at:]...)
}

// source returns the source text of a node.
func (r *rewriter) source(text []byte, n ast.Node) string {
	return string(text[r.fset.Position(n.Pos()).Offset:r.fset.Position(n.End()).Offset])
}
