package inplace

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/markgen/markgen/rewrite"
	rt "github.com/markgen/markgen/runtime"
)

// Strip returns src without the code that Mark inserted, even if that has been moved
// or reformatted since. It returns src itself if there is none. Inserted code that is no
// longer recognised, comments in inserted code and other uses of its names are errors
// of type rewrite.Errors. If the file does not parse, Strip returns the parser's error. Of a
// generated table file, only the package clause remains, as with Blank.
//
// If gofmt would not change src, or did not when it was marked, the statements are taken out of its
// syntax tree, and the result is formatted; else their text is.
func Strip(name string, src []byte) ([]byte, error) {
	if IsTable(src) {
		return Blank(src), nil
	}
	if !maybeMarked(src) {
		return src, nil
	}
	if text, ok := rewrite.WithoutReturns(src); ok {
		back, err := Strip(name, text)
		switch {
		case err != nil:
			return nil, err
		case bytes.Equal(back, text):
			return src, nil
		}
		return rewrite.WithReturns(back), nil
	}
	s, err := newStripper(name, src)
	if err != nil {
		return nil, err
	}
	s.find()
	if len(s.errs) > 0 {
		sort.SliceStable(s.errs, func(i, j int) bool { return s.errs[i].Pos.Offset < s.errs[j].Pos.Offset })
		return nil, s.errs
	}
	noted := len(lineNotes(s.f)) > 0
	if len(s.spans) == 0 && !noted {
		return src, nil
	}
	var text []byte
	if noted || formatted(src) {
		text = s.fromTree()
	}
	if text == nil {
		text = s.fromText()
	}
	if len(text) < len(src) {
		return Strip(name, text) // the file may have been marked twice, with different names
	}
	return text, nil
}

// formatted reports whether gofmt would leave the source as it is.
func formatted(src []byte) bool {
	text, err := format.Source(src)
	return err == nil && bytes.Equal(text, src)
}

// Blank returns a text of the same length and lines as src, with spaces in place of the
// code that Mark inserted, so that positions do not change. Of a generated table file,
// only the package clause remains. Code that is not recognised remains, with the import;
// a file that does not parse is returned unchanged.
func Blank(src []byte) []byte {
	if !maybeMarked(src) && !IsTable(src) {
		return src
	}
	s, err := newStripper("", src)
	if err != nil {
		return src
	}
	out := bytes.Clone(src)
	if IsTable(src) {
		wipe(out[s.offset(s.f.Name.End()):])
		return out
	}
	s.find()
	for _, sp := range s.spans {
		wipe(out[sp.from:sp.to])
	}
	for _, c := range lineNotes(s.f) {
		wipe(out[s.offset(c.Pos()):s.offset(c.End())])
	}
	return out
}

// wipe replaces everything except line ends by spaces.
func wipe(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}

// maybeMarked reports whether a file may be marked. It is a cheap test before the file is parsed.
func maybeMarked(src []byte) bool {
	return bytes.Contains(src, []byte("perf")) && (bytes.Contains(src, []byte(lineNote)) ||
		bytes.Contains(src, []byte("perfmarks")) || bytes.Contains(src, []byte("perftestmarks")) ||
		bytes.Contains(src, []byte(rt.Perf)) || bytes.Contains(src, []byte(rt.VendoredPerf)))
}

// A stripper finds the code that Mark inserted into a file.
type stripper struct {
	shapes
	src        []byte
	fset       *token.FileSet
	f          *ast.File
	tok        *token.File
	spans      []span
	errs       rewrite.Errors
	marks      int                // number of inserted statements found
	last       int                // end of the last span in the same statement list
	gone       map[ast.Node]bool  // statements to remove
	scopesGone map[token.Pos]bool // the variables declared by them
	imports    []*ast.ImportSpec  // imports to remove
	kept       []*ast.ImportSpec  // imports that only lose their note
}

// A span is a part of the source to remove.
type span struct{ from, to int }

func newStripper(name string, src []byte) (*stripper, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	return &stripper{src: src, fset: fset, f: f, tok: fset.File(f.FileStart), gone: map[ast.Node]bool{}, scopesGone: map[token.Pos]bool{}}, nil
}

func (s *stripper) offset(p token.Pos) int { return int(p) - s.tok.Base() }

func (s *stripper) fail(pos token.Pos, what, remedy string) {
	s.errs = append(s.errs, &rewrite.Error{Pos: s.tok.PositionFor(pos, false), What: what, Remedy: remedy})
}

// find sets spans and errs.
func (s *stripper) find() {
	for _, spec := range s.ownImports() {
		if s.findNamed(strings.TrimPrefix(importName(spec), "perf"), spec) {
			break
		}
	}
	if len(s.spans) == 0 && len(s.errs) == 0 {
		if s.shapes = newShapes(""); !s.namesPerf() {
			s.findNamed("", nil)
		}
	}
}

// findNamed is find for insertions with the given number in their names and the given import; spec
// is nil if the user has deleted the import. It returns false if there are no insertions and the
// names are the user's.
func (s *stripper) findNamed(number string, spec *ast.ImportSpec) bool {
	s.shapes = newShapes(number)
	s.marks = 0
	for _, d := range s.f.Decls {
		fn, isFunc := d.(*ast.FuncDecl)
		ast.Inspect(d, func(n ast.Node) bool {
			if s.gone[n] {
				return false
			}
			var list []ast.Stmt
			switch n := n.(type) {
			case *ast.BlockStmt:
				list = n.List
			case *ast.CaseClause:
				list = n.Body
			case *ast.CommClause:
				list = n.Body
			case *ast.LabeledStmt:
				list = []ast.Stmt{n.Stmt}
			default:
				return true
			}
			s.last = 0
			for _, st := range list {
				s.stmt(st, isFunc && fn.Recv == nil && fn.Name.Name == "main" && n == fn.Body)
			}
			return true
		})
	}
	left, kept := s.leftover(spec != nil)
	unused := len(left) == 0 && !kept
	if s.marks == 0 && (spec == nil || spec.Name == nil || !unused && !slices.ContainsFunc(left, func(id *ast.Ident) bool { return s.isMarks(id.Name) })) {
		s.spans = nil
		return false
	}
	if spec != nil && kept {
		s.keepImport(spec)
	} else if spec != nil && unused {
		s.dropImport(spec)
	}
	for _, id := range left {
		s.fail(id.Pos(), id.Name+" is used where markgen did not insert it, or what it inserted has been changed",
			"delete it by hand, and put a directive where a marker is wanted")
	}
	return true
}

// namesPerf reports whether the file imports or declares the name that the import of the runtime
// would have.
func (s *stripper) namesPerf() bool {
	for _, imp := range s.f.Imports {
		path := strings.Trim(imp.Path.Value, "`\"")
		if imp.Name != nil && imp.Name.Name == s.perf || imp.Name == nil && strings.HasSuffix("/"+path, "/"+s.perf) {
			return true
		}
	}
	return s.f.Scope.Lookup(s.perf) != nil
}

// ownImports returns the imports that Mark may have inserted or shared: of the runtime, by a name
// that Mark uses. The highest number comes first, since perfmarks is a prefix of perfmarks2.
func (s *stripper) ownImports() (specs []*ast.ImportSpec) {
	for _, spec := range s.f.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		number, ok := strings.CutPrefix(importName(spec), "perf")
		if ok && rt.IsPerf(path) && strings.Trim(number, "0123456789") == "" && !strings.HasPrefix(number, "0") {
			specs = append(specs, spec)
		}
	}
	slices.SortStableFunc(specs, func(a, b *ast.ImportSpec) int {
		return cmp.Or(len(importName(b))-len(importName(a)), strings.Compare(importName(b), importName(a)))
	})
	return specs
}

// importNote returns the note after an import, or nil.
func importNote(spec *ast.ImportSpec) *ast.Comment {
	if g := spec.Comment; g != nil && (g.List[0].Text == lineNote || g.List[0].Text == linesNote) {
		return g.List[0]
	}
	return nil
}

// keepImport marks the note after an import for removal, but not the import, which the user's code
// uses.
func (s *stripper) keepImport(spec *ast.ImportSpec) {
	if note := importNote(spec); note != nil {
		s.spans, s.kept = append(s.spans, span{s.offset(spec.End()), s.offset(note.End())}), append(s.kept, spec)
	}
}

// dropImport marks the import of the runtime for removal, wherever it has been moved.
func (s *stripper) dropImport(spec *ast.ImportSpec) {
	s.imports = append(s.imports, spec)
	from, to := s.offset(spec.Pos()), s.offset(spec.End())
	if note := importNote(spec); note != nil {
		to = s.offset(note.End())
	}
	for _, d := range s.f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Pos() <= spec.Pos() && spec.End() <= g.End() && len(g.Specs) == 1 {
			from, to = s.offset(g.Pos()), max(to, s.offset(g.End()))
		}
	}
	s.last = 0
	sp := s.drop(from, to, true)
	// A blank line was inserted above an import by itself.
	below := bytes.TrimPrefix(s.src[skipBlanks(s.src, sp.to):lineEnd(s.src, sp.to)], []byte(")"))
	if above := lineStart(s.src, max(sp.from-1, 0)); above > 0 && blank(s.src[above:sp.from]) && blank(below) {
		s.spans[len(s.spans)-1].from = above
	}
}

// stmt marks a statement for removal if it is one that Mark inserts. main reports whether it is
// at the top level of func main.
func (s *stripper) stmt(st ast.Stmt, main bool) {
	from, to := s.offset(st.Pos()), s.offset(st.End())
	switch s.kind(s.src[from:min(to, len(s.src))]) {
	case shapeNone:
		return
	case shapeFinish:
		if !main {
			return // the user's own
		}
	case shapePause, shapeResume:
		if !s.belowDirective(st) {
			return // the user's own
		}
	}
	s.marks++
	groups := s.f.Comments
	if i := sort.Search(len(groups), func(i int) bool { return groups[i].Pos() > st.Pos() }); i < len(groups) && groups[i].Pos() < st.End() {
		s.fail(groups[i].Pos(), "a comment stands in what markgen inserted", "move it out, or delete it")
	}
	s.drop(from, to, false)
	s.gone[st] = true
	if d, ok := st.(*ast.DeclStmt); ok {
		s.scopesGone[d.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Names[0].Pos()] = true
	}
}

// belowDirective reports whether there is a directive above a statement with only inserted code in
// between.
func (s *stripper) belowDirective(st ast.Stmt) bool {
	at := lineStart(s.src, s.offset(st.Pos()))
	for at > 0 {
		at = lineStart(s.src, at-1)
		line := bytes.TrimSpace(s.src[at:lineEnd(s.src, at)])
		if bytes.HasPrefix(line, []byte(rewrite.DirectivePrefix)) {
			return true
		}
		if len(line) > 0 && !s.inSpan(at+bytes.Index(s.src[at:], line)) {
			return false
		}
	}
	return false
}

// drop marks a statement, or a declaration if behind is true, for removal: as whole lines if they
// have no other code, else together with the semicolon that was inserted with it.
func (s *stripper) drop(from, to int, behind bool) span {
	start, end := lineStart(s.src, from), lineEnd(s.src, to)
	semicolon := bytes.HasPrefix(s.src[to:end], []byte(";"))
	preceded := from-2 >= s.last && string(s.src[max(0, from-2):from]) == "; "
	sp := span{from, to}
	switch {
	case blank(s.src[start:from]) && blank(s.src[to:end]):
		sp = span{start, end}
	case preceded && (behind || !semicolon):
		sp.from -= 2
	case semicolon:
		sp.to++
		if sp.to < len(s.src) && s.src[sp.to] == ' ' {
			sp.to++
		}
	}
	s.spans, s.last = append(s.spans, sp), sp.to
	return sp
}

// inSpan reports whether an offset is in a span. It searches from the last span, since callers
// mostly ask about recent ones.
func (s *stripper) inSpan(at int) bool {
	for i := len(s.spans) - 1; i >= 0; i-- {
		if sp := s.spans[i]; sp.from <= at && at < sp.to {
			return true
		}
	}
	return false
}

// leftover returns the uses of inserted names in what is not removed. kept reports whether the
// program also uses other names of the runtime, so that the import must be kept.
func (s *stripper) leftover(imported bool) (list []*ast.Ident, kept bool) {
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			switch {
			case !ok || id.Name != s.perf || id.Obj != nil || !imported:
				ast.Inspect(n.X, visit)
			case insertedNames[n.Sel.Name]:
				list = append(list, id)
			default:
				kept = true
			}
			return false
		case *ast.Ident:
			if n.Obj == nil && s.isMarks(n.Name) || n.Obj != nil && s.scopesGone[n.Obj.Pos()] {
				list = append(list, n)
			}
		}
		return !s.gone[n]
	}
	for _, d := range s.f.Decls {
		ast.Inspect(d, visit)
	}
	return list, kept
}
