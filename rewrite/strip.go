package rewrite

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"sort"
	"strings"

	rt "github.com/markgen/markgen/runtime"
)

// Strip returns src without the code that InPlace inserted, even if that has been moved
// or reformatted since. It returns src itself if there is none. Inserted code that is no
// longer recognised, comments in inserted code and other uses of its names are errors
// of type Errors. If the file does not parse, Strip returns the parser's error. Of a
// generated table file, only the package clause remains, as with Blank.
func Strip(name string, src []byte) ([]byte, error) {
	if IsTable(src) {
		return Blank(src), nil
	}
	if !maybeMarked(src) {
		return src, nil
	}
	if text, ok := withoutReturns(src); ok {
		back, err := Strip(name, text)
		switch {
		case err != nil:
			return nil, err
		case bytes.Equal(back, text):
			return src, nil
		}
		return withReturns(back), nil
	}
	s, err := newStripper(name, src)
	if err != nil {
		return nil, err
	}
	s.find()
	if len(s.errs) > 0 {
		s.errs.sort()
		return nil, s.errs
	}
	if len(s.spans) == 0 && !s.notes() {
		return src, nil
	}
	joined, err := s.without(name)
	if err != nil {
		return nil, err
	}
	if len(joined) < len(src) {
		return Strip(name, joined) // the file may have been marked twice, with different names
	}
	return joined, nil
}

// without returns the text without the spans, with broken function bodies joined again. Code whose
// alignment may have changed is formatted if it was gofmt'ed before: each group of declarations by
// itself, or the whole file if a group cannot be formatted alone.
func (s *stripper) without(name string) ([]byte, error) {
	e := &edits{text: s.src}
	groups := declGroups(s.src, s.f, s.offset)
	realign := make([]bool, len(groups)) // by group
	touched := map[int]bool{}            // groups with a comment //perf:line or to be realigned
	whole, any := false, false
	touch := func(at int) int {
		i := groupAt(groups, at)
		if i < 0 || !groups[i].alone {
			whole = true
			return -1
		}
		touched[i] = true
		return i
	}
	for _, sp := range s.spans {
		if sp.lines && sp.from > 0 && hasComment(s.src, sp.from-1) &&
			(hasComment(s.src, sp.from) || sp.to < len(s.src) && hasComment(s.src, sp.to)) {
			any = true
			if i := touch(sp.from); i >= 0 {
				realign[i] = true
			}
		}
		whole = whole || !sp.lines
		e.replace(sp.from, sp.to, "")
	}
	for _, c := range lineNotes(s.f) {
		if !s.inSpan(s.offset(c.Pos())) {
			touch(s.offset(c.Pos()))
		}
	}
	list := e.sorted()
	text := applySorted(s.src, list, 0, len(s.src))
	if whole || opensGap(s.src, text) {
		return joinAligned(name, s.src, text, any)
	}
	if len(touched) == 0 {
		return text, nil
	}
	out := make([]byte, 0, len(s.src))
	at := 0
	for i, g := range groups {
		if !touched[i] {
			continue
		}
		out = append(out, applySorted(s.src, list, at, g.from)...)
		text, err := joinAligned(name, alone(s.src[g.from:g.to]), alone(applySorted(s.src, list, g.from, g.to)), realign[i])
		if err != nil {
			return nil, err
		}
		out = append(out, text[len(groupHead):]...)
		at = g.to
	}
	return append(out, applySorted(s.src, list, at, len(s.src))...), nil
}

// opensGap reports whether text has successive blank lines, which gofmt would remove, and src has
// none.
func opensGap(src, text []byte) bool {
	gap := []byte("\n\n\n")
	return bytes.Contains(text, gap) && !bytes.Contains(src, gap)
}

// joinAligned joins broken bodies in a text that was made from src. If there are any or realign is
// true, and src is gofmt'ed, it formats the text.
func joinAligned(name string, src, text []byte, realign bool) ([]byte, error) {
	joined, err := joinLines(name, text)
	if err != nil {
		return nil, err
	}
	if (realign || !bytes.Equal(joined, text)) && formatted(src) {
		if f, err := format.Source(joined); err == nil {
			joined = f
		}
	}
	return joined, nil
}

// Blank returns a text of the same length and lines as src, with spaces in place of the
// code that InPlace inserted, so that positions do not change. Of a generated table file,
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
	if bytes.Contains(src, []byte(importNote)) {
		return true
	}
	if !bytes.Contains(src, []byte("perf")) { // part of every insertion
		return false
	}
	return bytes.Contains(src, []byte(lineNote)) || bytes.Contains(src, []byte("perfmarks")) || bytes.Contains(src, []byte("perftestmarks")) ||
		bytes.Contains(src, []byte(rt.Perf)) || bytes.Contains(src, []byte(rt.VendoredPerf))
}

// A stripper finds the code that InPlace inserted into a file.
type stripper struct {
	shapes
	src   []byte
	f     *ast.File
	tok   *token.File
	spans []span
	errs  Errors
	marks int // number of inserted statements found
	last  int // end of the last span in the same statement list
	gone  map[ast.Node]bool
}

// A span is a part of the source to remove.
type span struct {
	from, to int
	lines    bool // it consists of whole lines
}

func newStripper(name string, src []byte) (*stripper, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	return &stripper{src: src, f: f, tok: fset.File(f.FileStart), gone: map[ast.Node]bool{}}, nil
}

func (s *stripper) offset(p token.Pos) int { return int(p) - s.tok.Base() }

func (s *stripper) fail(pos token.Pos, what, remedy string) {
	s.errs = append(s.errs, &Error{s.tok.PositionFor(pos, false), what, remedy})
}

// notes reports whether the file has comments //perf:line.
func (s *stripper) notes() bool { return len(lineNotes(s.f)) > 0 }

// find sets spans and errs.
func (s *stripper) find() {
	for _, spec := range s.ownImports() {
		if s.findNamed(strings.TrimPrefix(spec.Name.Name, "perf"), spec) {
			break
		}
	}
	if len(s.spans) == 0 && len(s.errs) == 0 {
		if s.shapes = (shapes{names: numbered("")}); !s.namesPerf() {
			s.findNamed("", nil)
		}
	}
	s.dropNotes()
}

// findNamed is find for insertions with the given number in their names and the given import; spec
// is nil if the user has deleted the import. It returns false if there are no insertions and the
// names are the user's.
func (s *stripper) findNamed(number string, spec *ast.ImportSpec) bool {
	s.shapes = shapes{names: numbered(number)}
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
	if s.marks == 0 && (spec == nil || !unused && !slices.ContainsFunc(left, func(id *ast.Ident) bool { return s.isMarks(id.Name) })) {
		s.spans = nil
		return false
	}
	if spec != nil && kept {
		s.keepImport(spec)
	}
	if spec != nil && unused {
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

// commentBehind returns the comment that directly follows a position, except for blanks, or nil.
func (s *stripper) commentBehind(pos token.Pos) *ast.Comment {
	at := skipBlanks(s.src, s.offset(pos))
	for _, g := range s.f.Comments { // a short search: positions are in imports
		for _, c := range g.List {
			if s.offset(c.Pos()) == at {
				return c
			}
		}
	}
	return nil
}

// stmt marks a statement for removal if it is one that InPlace inserts. main reports whether it is
// at the top level of func main.
func (s *stripper) stmt(st ast.Stmt, main bool) {
	switch s.kind(st) {
	case shapeNone:
		return
	case shapeFinish:
		if _, guarded := st.(*ast.IfStmt); !main || !guarded {
			return // the user's own
		}
		s.marks++
	case shapePause, shapeResume:
		if !s.belowDirective(st) {
			return // the user's own
		}
		s.marks++
	case shapeMark:
		s.marks++
	}
	from, to := s.offset(st.Pos()), s.offset(st.End())
	groups := s.f.Comments
	if i := sort.Search(len(groups), func(i int) bool { return groups[i].Pos() > st.Pos() }); i < len(groups) && groups[i].Pos() < st.End() {
		s.fail(groups[i].Pos(), "a comment stands in what markgen inserted", "move it out, or delete it")
	}
	s.drop(from, to, false)
	s.gone[st] = true
}

// belowDirective reports whether there is a directive above a statement with only inserted code in
// between.
func (s *stripper) belowDirective(st ast.Stmt) bool {
	at := lineStart(s.src, s.offset(st.Pos()))
	for at > 0 {
		at = lineStart(s.src, at-1)
		line := bytes.TrimSpace(s.src[at:lineEnd(s.src, at)])
		if bytes.HasPrefix(line, []byte(directivePrefix)) {
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
func (s *stripper) drop(from, to int, behind bool) {
	start, end := lineStart(s.src, from), lineEnd(s.src, to)
	head, tail := s.src[start:from], s.src[to:end]
	semicolon := bytes.HasPrefix(tail, []byte(";"))
	preceded := from-2 >= s.last && string(s.src[max(0, from-2):from]) == "; "
	sp := span{from: from, to: to}
	switch {
	case blank(head) && (blank(bytes.TrimSuffix(tail, []byte("\n")))):
		sp = span{start, end, true}
	case preceded && (behind || !semicolon):
		sp.from -= 2
	case semicolon:
		sp.to++
		if sp.to < len(s.src) && s.src[sp.to] == ' ' {
			sp.to++
		}
	}
	s.spans, s.last = append(s.spans, sp), sp.to
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

// leftover returns the uses of inserted names outside the spans. kept reports whether the program
// also uses other names of the runtime, so that the import must be kept.
func (s *stripper) leftover(imported bool) (list []*ast.Ident, kept bool) {
	spans := slices.SortedFunc(slices.Values(s.spans), func(a, b span) int { return a.from - b.from })
	inSpan := func(pos token.Pos) bool {
		at := s.offset(pos)
		i := sort.Search(len(spans), func(i int) bool { return spans[i].from > at })
		return i > 0 && at < spans[i-1].to
	}
	used := map[*ast.Ident]bool{} // perf in perf.Name where Name is not one of insertedNames
	ast.Inspect(s.f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && id.Name == s.perf && !insertedNames[n.Sel.Name] {
				used[id] = true
			}
		case *ast.Ident:
			if n.Name == s.scopes && !inSpan(n.Pos()) && n.Obj != nil && inSpan(n.Obj.Pos()) {
				list = append(list, n)
			}
		}
		return true
	})
	for _, id := range s.f.Unresolved {
		switch {
		case inSpan(id.Pos()):
		case id.Name == s.perf && imported && used[id]:
			kept = true
		case id.Name == s.perf && imported || s.isMarks(id.Name):
			list = append(list, id)
		}
	}
	return list, kept
}
