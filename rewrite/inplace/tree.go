package inplace

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/dave/dst"
	"github.com/dave/dst/decorator"
)

// A tree is the syntax tree of a file that gofmt would not change, with comments and blank lines as
// decorations of its nodes (package dst). Mark inserts statements into it, and Strip takes them out;
// what stands above a statement goes with the first of those inserted before it, and comes back.
type tree struct {
	*decorator.Decorator
	file *dst.File
	ast  *ast.File
	tok  *token.File
}

// newTree returns the tree of a parsed file, or nil if package dst cannot make one.
func newTree(fset *token.FileSet, f *ast.File) *tree {
	d := decorator.NewDecorator(fset)
	file, err := d.DecorateFile(f)
	if err != nil {
		return nil
	}
	if n := len(file.Decls); n > 0 {
		// Package dst takes a newline right after a declaration for a part of it, so that a function on
		// one line is no longer aligned with the one above if a comment ends the file.
		if last := file.Decls[n-1].Decorations(); len(last.End) > 0 && last.End[0] == "\n" {
			file.Decs.End, last.End, last.After = slices.Concat(last.End[1:], file.Decs.End), nil, dst.NewLine
		}
	}
	return &tree{d, file, f, fset.File(f.FileStart)}
}

// text returns the file's text as gofmt formats it, or nil if package dst cannot print it.
func (t *tree) text() []byte {
	var b bytes.Buffer
	if err := decorator.NewRestorer().Fprint(&b, t.file); err != nil {
		return nil
	}
	return b.Bytes()
}

func (t *tree) offset(p token.Pos) int { return int(p) - t.tok.Base() }

// inTree returns a text with the insertions and the import of the runtime, or nil if package dst
// cannot make it.
func (w *writer) inTree(text []byte, list []insertion) []byte {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	t := newTree(fset, f)
	inserted := statements(list)
	if t == nil || inserted == nil {
		return nil
	}
	places := t.places()
	for i, in := range list {
		if !places.insert(text, in, inserted[i]) {
			return nil
		}
	}
	t.breakLines(list)
	if !slices.Contains(importedAs(f, w.o.Runtime), w.perf) {
		w.importInto(t.file)
	}
	return t.text()
}

// statements returns the statements of each insertion, or nil if one does not parse.
func statements(list []insertion) (inserted [][]dst.Stmt) {
	var b bytes.Buffer
	b.WriteString("package p\n\nfunc _() {\n")
	for _, in := range list {
		b.WriteString("{\n" + strings.Join(in.lines, "\n") + "\n}\n")
	}
	b.WriteString("}\n")
	f, err := parser.ParseFile(token.NewFileSet(), "", b.Bytes(), parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	body, err := decorator.NewDecorator(nil).DecorateNode(f.Decls[0].(*ast.FuncDecl).Body)
	if err != nil {
		return nil
	}
	for _, block := range body.(*dst.BlockStmt).List {
		statements := block.(*dst.BlockStmt).List
		space(statements, dst.NewLine)
		inserted = append(inserted, statements)
	}
	return inserted
}

// A stmtList is a statement list, with the comments after its opening brace or colon, and, in a
// clause, those at its end.
type stmtList struct {
	list      *[]dst.Stmt
	open, end *dst.Decorations
}

// A position is a statement in a list, or the end of a list. If label is not nil, the statement is
// that of the label.
type position struct {
	*stmtList
	stmt  dst.Stmt
	label *dst.LabeledStmt
}

// places has the places of a file by offset: the starts of lists, and the tokens before which
// statements go.
type places struct {
	tops   map[int]*stmtList
	tokens map[int]position
}

// places finds the places of the tree.
func (t *tree) places() places {
	found := places{map[int]*stmtList{}, map[int]position{}}
	add := func(l stmtList, top token.Pos, list []ast.Stmt, end token.Pos) {
		found.tops[t.offset(top)] = &l
		found.tokens[t.offset(end)] = position{stmtList: &l}
		for _, s := range list {
			at := position{&l, t.Dst.Nodes[s].(dst.Stmt), nil}
			for found.tokens[t.offset(s.Pos())] = at; ; found.tokens[t.offset(s.Pos())] = at {
				labelled, ok := s.(*ast.LabeledStmt)
				if !ok {
					break
				}
				at.label, s = t.Dst.Nodes[s].(*dst.LabeledStmt), labelled.Stmt
				if e, ok := s.(*ast.EmptyStmt); ok && e.Implicit {
					break
				}
			}
		}
	}
	ast.Inspect(t.ast, func(n ast.Node) bool {
		b, ok := n.(*ast.BlockStmt)
		if !ok {
			return true
		}
		d, clauses := t.Dst.Nodes[b].(*dst.BlockStmt), false
		for i, s := range b.List {
			end := b.Rbrace
			if i+1 < len(b.List) {
				end = b.List[i+1].Pos()
			}
			switch s := s.(type) {
			case *ast.CaseClause:
				c := d.List[i].(*dst.CaseClause)
				add(stmtList{&c.Body, &c.Decs.Colon, &c.Decs.End}, s.Colon+1, s.Body, end)
				clauses = true
			case *ast.CommClause:
				c := d.List[i].(*dst.CommClause)
				add(stmtList{&c.Body, &c.Decs.Colon, &c.Decs.End}, s.Colon+1, s.Body, end)
				clauses = true
			}
		}
		if !clauses {
			add(stmtList{&d.List, &d.Decs.Lbrace, nil}, b.Lbrace+1, b.List, b.Rbrace)
		}
		return true
	})
	return found
}

// insert inserts statements and reports whether there is a place for them.
func (p places) insert(text []byte, in insertion, list []dst.Stmt) bool {
	first, last := list[0].Decorations(), list[len(list)-1].Decorations()
	if in.top() {
		l := p.tops[in.at]
		if l == nil {
			return false
		}
		if len(*l.list) == 0 {
			n := 0
			for n < len(*l.open) && (*l.open)[n] != "\n" && (n == 0 || !isLine((*l.open)[n-1])) {
				n++
			}
			*l.open, last.End = cut(*l.open, n)
			switch { // the empty body was on two lines, or three
			case slices.Equal(last.End, dst.Decorations{"\n"}):
				last.End = nil
			case slices.Equal(last.End, dst.Decorations{"\n", "\n"}):
				last.End, last.After = nil, dst.EmptyLine
			}
		}
		l.insert(0, list)
		return true
	}
	at, ok := p.tokens[in.at]
	if !ok {
		return false
	}
	directive := ""
	if in.after > 0 {
		directive = strings.TrimSpace(string(text[lineStart(text, in.after):in.after]))
	}
	if at.stmt == nil {
		return at.behind(len(*at.list), directive, list)
	}
	i := slices.Index(*at.list, at.stmt)
	if at.label != nil { // the label is on a line of its own, and the first statement becomes its
		if i = slices.Index(*at.list, dst.Stmt(at.label)); i < 0 {
			return false
		}
		at.label.Stmt = list[0]
		*at.list = slices.Insert(*at.list, i+1, append(list[1:len(list):len(list)], at.stmt)...)
		return true
	}
	old := at.stmt.Decorations()
	n := len(old.Start)
	if directive != "" {
		if n = slices.Index(old.Start, directive) + 1; n == 0 { // it is below the statement before
			return at.behind(i, directive, list)
		}
	}
	first.Start, old.Start = cut(old.Start, n)
	first.Before, old.Before = old.Before, dst.NewLine
	if len(old.Start) > 0 && old.Start[0] == "\n" {
		old.Start = old.Start[1:]
		if len(old.Start) > 0 && old.Start[0] == "\n" {
			old.Start, old.Before = old.Start[1:], dst.EmptyLine
		}
	}
	at.insert(i, list)
	return true
}

// behind inserts statements into a list after the first n, and after a directive if it is not "".
func (l *stmtList) behind(n int, directive string, list []dst.Stmt) bool {
	above, last := l.open, list[len(list)-1].Decorations()
	if n > 0 {
		before := (*l.list)[n-1].Decorations()
		above, last.After, before.After = &before.End, before.After, dst.NewLine
	}
	if directive == "" {
	} else if i := slices.Index(*above, directive); i >= 0 {
		*above, last.End = cut(*above, i+1)
	} else if l.end == nil {
		return false
	} else if i := slices.Index(*l.end, directive); i >= 0 {
		var head dst.Decorations
		head, *l.end = cut(*l.end, i+1)
		*above = join(*above, head)
	} else {
		return false
	}
	l.insert(n, list)
	return true
}

// insert inserts statements into a list after the first n.
func (l *stmtList) insert(n int, list []dst.Stmt) {
	if n == len(*l.list) && l.end != nil && len(*l.end) > 0 {
		list[len(list)-1].Decorations().After = dst.None // what follows has the space
	}
	*l.list = slices.Insert(*l.list, n, list...)
}

// isLine reports whether a decoration is a comment that ends its line.
func isLine(decoration string) bool { return strings.HasPrefix(decoration, "//") }

// cut returns the first n decorations and the others, which begin on a new line.
func cut(decs dst.Decorations, n int) (head, tail dst.Decorations) {
	head, tail = slices.Clone(decs[:n]), slices.Clone(decs[n:])
	if n > 0 && isLine(decs[n-1]) && len(tail) > 0 {
		tail = append(dst.Decorations{"\n"}, tail...)
	}
	return head, tail
}

// join undoes cut.
func join(head, tail dst.Decorations) dst.Decorations {
	if n := len(head); n > 0 && isLine(head[n-1]) && len(tail) > 0 && tail[0] == "\n" {
		tail = tail[1:]
	}
	return append(head, tail...)
}

// lineNote follows the opening brace of a function body that was on one line before statements were
// inserted, and an import that was by itself.
const lineNote = "//perf:line"

// breakLines puts the statements of function bodies on one line on lines of their own if one has
// been inserted.
func (t *tree) breakLines(list []insertion) {
	offsets := make([]int, len(list))
	for i, in := range list {
		offsets[i] = in.at
	}
	slices.Sort(offsets)
	ast.Inspect(t.ast, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			body = n.Body
		case *ast.FuncLit:
			body = n.Body
		}
		if body == nil || t.tok.Line(body.Lbrace) != t.tok.Line(body.Rbrace) {
			return true
		}
		i, _ := slices.BinarySearch(offsets, t.offset(body.Lbrace)+1)
		if i < len(offsets) && offsets[i] <= t.offset(body.Rbrace) {
			b := t.Dst.Nodes[body].(*dst.BlockStmt)
			b.Decs.Lbrace.Prepend(lineNote)
			space(b.List, dst.NewLine)
		}
		return true
	})
}

// space sets the space around statements.
func space(list []dst.Stmt, s dst.SpaceType) {
	for _, st := range list {
		st.Decorations().Before, st.Decorations().After = s, s
	}
}

// joinLines undoes breakLines. A body that cannot be on one line, since the user has added a comment
// or a block, only loses its note.
func (t *tree) joinLines() {
	var bodies []*dst.BlockStmt
	dst.Inspect(t.file, func(n dst.Node) bool {
		if b, ok := n.(*dst.BlockStmt); ok && len(b.Decs.Lbrace) > 0 && b.Decs.Lbrace[0] == lineNote {
			b.Decs.Lbrace = b.Decs.Lbrace[1:]
			bodies = append(bodies, b)
		}
		return true
	})
	for _, b := range slices.Backward(bodies) { // inner bodies first
		if !broken(b) {
			space(b.List, dst.None)
		}
	}
}

// broken reports whether a body, without the space around its statements, is on several lines.
func broken(body *dst.BlockStmt) (is bool) {
	spaced, function := map[dst.Node]bool{body: true}, map[dst.Node]bool{body: true}
	for _, s := range body.List {
		spaced[s] = true
	}
	dst.Inspect(body, func(n dst.Node) bool {
		if n == nil || is {
			return false
		}
		d := n.Decorations()
		decorations := slices.Concat(d.Start, d.End)
		is = !spaced[n] && (d.Before != dst.None || d.After != dst.None)
		switch n := n.(type) {
		case *dst.FuncLit:
			function[n.Body] = true
		case *dst.BlockStmt:
			decorations = append(decorations, n.Decs.Lbrace...)
			is = is || !function[n]
		}
		is = is || slices.ContainsFunc(decorations, func(s string) bool { return isLine(s) || strings.Contains(s, "\n") })
		return true
	})
	return is
}
