package rewrite

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path/filepath"
	"sort"
	"strings"

	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/rewrite/gc"
)

// Source is one file of a unit.
type Source struct {
	Name string // the path that errors show; its base name and directory are used, nothing is read from it
	Text []byte // not changed
}

// Unit is a group of files that are compiled together and share one table of
// markers: the Go files of a package, its in-package tests, or its external
// tests.
type Unit struct {
	Path   string   // import path of the package
	Name   string   // name in the package clause
	Points []*Point // in the order of the files and within a file of the source; set by Find

	fset     *token.FileSet
	files    []*file
	blocks   []coverBlock    // counters of cover blocks, after those of the points; set by Find
	counting int             // how many functions have such
	beside   map[string]bool // predeclared names that other units of the package declare; see Together
	declared map[string]bool // all names that its files declare; nil: not known yet
	counts   []*Point        // points that a Counter counts, in order
	timed    []*Point        // points that have a Marker, in order
	lasts    *lasting        // nil: not known yet
	inline   bool            // markers cost the inliner nothing; set by Find
	numbered bool            // by Number
}

// file is a parsed source with what Find found in it.
type file struct {
	Source         // its text with LF alone, if returns
	returns   bool // its lines end in CRLF
	ast       *ast.File
	tok       *token.File
	generated bool
	test      bool            // name ends in _test.go
	cgo       bool            // imports "C"
	lineDirs  bool            // has //line directives of its own
	explicit  bool            // scopes may end explicitly: goroutines can be told apart; set by Find
	release   gc.Release      // of the toolchain that compiles; set by Find
	left      bool            // generated, and gets no markers; set by Find
	top       map[string]bool // what the unit declares outside of functions; set by Find
	before    fileNumbers     // of the files before; set by Number
	functions []*function
	dirs      []*directive
	sums      *sums                        // prefix hashes of the text; made when first used
	variables map[ast.Decl]map[int]int     // of functions: see declaredAt
	names     map[ast.Decl]map[string]bool // see declaredIn
}

// Load parses the files of one unit, in the order in which the compiler gets
// them. The error, if any, is a scanner.ErrorList with the parser's positions
// and messages, which are the compiler's own as far as the parser sees them.
func Load(path string, sources []Source) (*Unit, error) {
	u := &Unit{Path: path, fset: token.NewFileSet()}
	var errs scanner.ErrorList
	for _, s := range sources {
		f := &file{Source: s, test: strings.HasSuffix(s.Name, "_test.go")}
		f.Text, f.returns = withoutReturns(s.Text)
		var err error
		f.ast, err = parser.ParseFile(u.fset, s.Name, f.Text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			if list, ok := err.(scanner.ErrorList); ok {
				errs = append(errs, list...)
			} else {
				errs.Add(token.Position{Filename: s.Name}, err.Error())
			}
			continue
		}
		f.tok = u.fset.File(f.ast.FileStart)
		f.generated = ast.IsGenerated(f.ast)
		for _, imp := range f.ast.Imports {
			if imp.Path.Value == `"C"` {
				f.cgo = true
			}
		}
		f.lineDirs = hasLineDirective(f.ast)
		if u.Name == "" {
			u.Name = f.ast.Name.Name
		}
		u.files = append(u.files, f)
	}
	if len(errs) > 0 {
		errs.Sort()
		return nil, errs
	}
	return u, nil
}

func hasLineDirective(f *ast.File) bool {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if isLineDirective(c.Text) {
				return true
			}
		}
	}
	return false
}

func isLineDirective(comment string) bool {
	return strings.HasPrefix(comment, "//line ") || strings.HasPrefix(comment, "/*line ")
}

// SetIDs gives the points their IDs: ids[i] is that of Points[i].
func (u *Unit) SetIDs(ids []registry.ID) {
	for i, p := range u.Points {
		p.ID = ids[i]
	}
}

// RegistryPoints returns what the registry needs to know of the points, in the
// order of Points.
func (u *Unit) RegistryPoints() []registry.Point {
	list := make([]registry.Point, len(u.Points))
	for i, p := range u.Points {
		list[i] = p.Point
	}
	return list
}

// offset is the byte offset of a position in the file's text.
func (f *file) offset(p token.Pos) int { return int(p) - f.tok.Base() }

// position ignores line directives: errors and markers show the place in the
// file that the user edits.
func (f *file) position(p token.Pos) token.Position {
	return f.tok.PositionFor(p, false)
}

// An Error says where, what, and what to do.
type Error struct {
	Pos    token.Position
	What   string
	Remedy string
}

func (e *Error) Error() string {
	if e.Remedy == "" {
		return fmt.Sprintf("%s: %s", e.Pos, e.What)
	}
	return fmt.Sprintf("%s: %s; %s", e.Pos, e.What, e.Remedy)
}

// Errors are all the errors of a unit, in the order of their places.
type Errors []*Error

func (l Errors) Error() string {
	var b strings.Builder
	for i, e := range l {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

func (l Errors) sort() {
	sort.SliceStable(l, func(i, j int) bool {
		a, b := l[i].Pos, l[j].Pos
		if a.Filename != b.Filename {
			return a.Filename < b.Filename
		}
		return a.Offset < b.Offset
	})
}

// constrained reports whether build constraints decide about the file: a
// //go:build line, or a name such as x_linux.go.
func (f *file) constrained() bool {
	head := f.Text[:f.offset(f.ast.Package)]
	if bytes.Contains(head, []byte("//go:build")) || bytes.Contains(head, []byte("// +build")) {
		return true
	}
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(f.Source.Name), ".go"), "_test")
	return strings.Contains(base, "_")
}
