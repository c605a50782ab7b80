package rewrite

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"sort"
	"strings"

	"github.com/markgen/markgen/registry"
)

// A Source is one file of a unit.
type Source struct {
	Name string // path for errors and tables; the file is not read
	Text []byte // never modified
}

// A Unit is a group of files that are compiled together and share one table of
// markers: the Go files of a package, its in-package tests, or its external
// tests.
type Unit struct {
	Path   string   // import path of the package
	Name   string   // name in the package clause
	Points []*Point // in the order of the files, and in source order within a file; set by Find

	fset     *token.FileSet
	files    []*file
	blocks   []coverBlock // basic blocks; their counters follow those of the points; set by Find
	counting int          // number of functions whose blocks are counted; see numberTallies
	counts   []*Point     // points with a Counter, in order
	timed    []*Point     // points with a Marker, in order
	long     *longRunning // nil until computed
	inline   bool         // markers cost the inliner nothing; set by Find
	numbered bool         // Number has been called
}

// A file is a parsed source and the results of Find for it.
type file struct {
	Source         // with LF line ends if returns is set
	returns   bool // the original's lines end in CRLF
	ast       *ast.File
	tok       *token.File
	generated bool
	test      bool            // name ends in _test.go
	cgo       bool            // imports "C"
	lineDirs  bool            // has //line directives
	explicit  bool            // scopes may end explicitly, since goroutines can be identified; set by Find
	left      bool            // generated, and gets no markers; set by Find
	top       map[string]bool // names that the package declares at package level; set by Find
	before    fileNumbers     // sums over the previous files; set by Number
	functions []*function
	dirs      []*directive
	names     map[ast.Decl]map[string]bool // see declaredIn
}

// Load parses the files of one unit, which are in the order in which the compiler gets
// them. The error, if any, is a scanner.ErrorList with the parser's positions and
// messages.
func Load(path string, sources []Source) (*Unit, error) {
	u := &Unit{Path: path, fset: token.NewFileSet()}
	var errs scanner.ErrorList
	for _, s := range sources {
		f := &file{Source: s, test: strings.HasSuffix(s.Name, "_test.go")}
		f.Text, f.returns = WithoutReturns(s.Text)
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
	return slices.ContainsFunc(f.Comments, func(g *ast.CommentGroup) bool {
		return slices.ContainsFunc(g.List, func(c *ast.Comment) bool {
			return strings.HasPrefix(c.Text, "//line ") || strings.HasPrefix(c.Text, "/*line ")
		})
	})
}

// SetIDs sets the ID of each Points[i] to ids[i].
func (u *Unit) SetIDs(ids []registry.ID) {
	for i, p := range u.Points {
		p.ID = ids[i]
	}
}

// RegistryPoints returns the registry's view of the points, in the order of Points.
func (u *Unit) RegistryPoints() []registry.Point {
	list := make([]registry.Point, len(u.Points))
	for i, p := range u.Points {
		list[i] = p.Point
	}
	return list
}

// offset returns the byte offset of a position in the file's text.
func (f *file) offset(p token.Pos) int { return int(p) - f.tok.Base() }

// position returns the position without regard to line directives: errors and markers refer to the
// file that the user edits.
func (f *file) position(p token.Pos) token.Position {
	return f.tok.PositionFor(p, false)
}

// An Error has a position, what is wrong there, and what to do about it.
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

// Errors has all errors of a unit, sorted by position.
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

// typeSpecs calls visit for each type that the unit declares at package level.
func (u *Unit) typeSpecs(visit func(*ast.TypeSpec)) {
	for _, f := range u.files {
		for _, d := range f.ast.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, s := range g.Specs {
					visit(s.(*ast.TypeSpec))
				}
			}
		}
	}
}

// imports reports whether the file imports a package by this name, as far as paths show.
func (f *file) imports(name string) bool { return f.imported(name) != "" }

// imported returns the path of the package that the file imports by this name, as far as paths
// show, or "".
func (f *file) imported(name string) string {
	for _, spec := range f.ast.Imports {
		path := spec.Path.Value[1 : len(spec.Path.Value)-1]
		switch {
		case spec.Name != nil:
			if spec.Name.Name == name {
				return path
			}
		case path[strings.LastIndexByte(path, '/')+1:] == name:
			return path
		}
	}
	return ""
}
