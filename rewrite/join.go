package rewrite

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
)

// lineNotes returns the comments //perf:line of a file, in order.
func lineNotes(f *ast.File) (list []*ast.Comment) {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if c.Text == lineNote {
				list = append(list, c)
			}
		}
	}
	return list
}

// joinLines puts function bodies with a comment //perf:line after their brace back on
// one line and removes the comment. A body that cannot be on one line, since the user
// has added a comment or a block, is not joined.
func joinLines(name string, src []byte) ([]byte, error) {
	if !bytes.Contains(src, []byte(lineNote)) {
		return src, nil
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	j := &joiner{src: src, base: fset.File(f.FileStart).Base(), notes: map[int]bool{}}
	for _, c := range lineNotes(f) {
		j.notes[j.offset(c.Pos())] = true
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if b, ok := n.(*ast.BlockStmt); ok && j.noted(b) {
			j.blocks = append(j.blocks, b)
		}
		return true
	})
	e := &edits{text: src}
	j.gaps = make([][]edit, len(j.blocks))
	for i := len(j.blocks) - 1; i >= 0; i-- { // inner blocks first
		if j.gaps[i] = j.join(i); j.gaps[i] != nil {
			e.list = append(e.list, j.gaps[i]...)
			delete(j.notes, skipBlanks(src, j.gaps[i][0].from))
		}
	}
	for at := range j.notes { // notes of bodies that are not joined
		from, to := at, at+len(lineNote)
		for from > 0 && (src[from-1] == ' ' || src[from-1] == '\t') {
			from--
		}
		if end := lineEnd(src, to); from == lineStart(src, from) && blank(bytes.TrimSuffix(src[to:end], []byte("\n"))) {
			to = end
		}
		e.replace(from, to, "")
	}
	return e.apply(0, len(src)), nil
}

type joiner struct {
	src    []byte
	base   int
	notes  map[int]bool     // offsets of the notes
	blocks []*ast.BlockStmt // blocks with a note, in source order
	gaps   [][]edit         // by block, the edits that join it; nil if it is not joined
}

func (j *joiner) offset(p token.Pos) int { return int(p) - j.base }

// noted reports whether the brace of a block is followed by a note.
func (j *joiner) noted(b *ast.BlockStmt) bool {
	return b.Rbrace.IsValid() && j.notes[skipBlanks(j.src, j.offset(b.Lbrace)+1)]
}

// join returns the edits that put a block on one line, or nil if that is not possible. The gaps of
// inner blocks must be set.
func (j *joiner) join(block int) []edit {
	b := j.blocks[block]
	list := []edit{}
	from := j.offset(b.Lbrace) + 1
	add := func(to int, with string) bool {
		text := j.src[from:to]
		if len(list) == 0 {
			i := bytes.Index(text, []byte(lineNote))
			text = text[i+len(lineNote):]
		}
		text = bytes.Trim(text, " \t\r\n;")
		if bytes.Contains(text, []byte("//")) || bytes.ContainsAny(text, "\n") {
			return false
		}
		if len(text) > 0 {
			with += string(text) + " "
		}
		list = append(list, edit{from: from, to: to, with: with})
		return true
	}
	for i, s := range b.List {
		with := " "
		if i > 0 {
			with = "; "
		}
		if !add(j.offset(s.Pos()), with) {
			return nil
		}
		from = j.offset(s.End())
	}
	with := " "
	if len(b.List) == 0 {
		with = ""
	}
	if !add(j.offset(b.Rbrace), with) {
		return nil
	}
	if len(b.List) == 0 && list[0].with != "" {
		list[0].with = " " + list[0].with
	}
	inner := bytes.Count(j.src[j.offset(b.Lbrace):j.offset(b.Rbrace)], []byte("\n"))
	for _, g := range list {
		inner -= bytes.Count(j.src[g.from:g.to], []byte("\n"))
	}
	for i := block + 1; i < len(j.blocks) && j.blocks[i].Lbrace < b.Rbrace; i++ {
		for _, g := range j.gaps[i] {
			inner -= bytes.Count(j.src[g.from:g.to], []byte("\n"))
		}
	}
	if inner > 0 {
		return nil
	}
	return list
}
