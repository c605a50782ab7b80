package inplace

import (
	"cmp"
	"go/ast"
	"slices"

	"github.com/dave/dst"
)

// fromText returns the text without what was found, and without notes.
func (s *stripper) fromText() []byte {
	var edits []edit
	for _, sp := range s.spans {
		edits = append(edits, edit{from: sp.from, to: sp.to})
	}
	for _, c := range lineNotes(s.f) {
		if at := s.offset(c.Pos()); !s.inSpan(at) {
			edits = append(edits, edit{from: at, to: at + len(c.Text)})
		}
	}
	return apply(s.src, edits)
}

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

// fromTree returns the text of the syntax tree without what was found, or nil if package dst cannot
// make it.
func (s *stripper) fromTree() []byte {
	t := newTree(s.fset, s.f)
	if t == nil {
		return nil
	}
	for _, spec := range s.imports {
		t.dropImport(t.Dst.Nodes[spec].(*dst.ImportSpec))
	}
	for _, spec := range s.kept {
		t.Dst.Nodes[spec].(*dst.ImportSpec).Decs.End = nil
	}
	gone := func(st dst.Stmt) bool { return s.gone[t.Ast.Nodes[st]] }
	dst.Inspect(t.file, func(n dst.Node) bool {
		switch n := n.(type) {
		case *dst.BlockStmt:
			last := slices.Clone(n.List)
			n.List = remove(n.List, gone, &n.Decs.Lbrace)
			if len(n.List) == 0 && len(n.Decs.Lbrace) == 0 { // the braces are on two lines, or three
				n.Decs.Lbrace.Append("\n")
				if k := len(last); k > 0 && last[k-1].Decorations().After == dst.EmptyLine {
					n.Decs.Lbrace.Append("\n")
				}
			}
		case *dst.CaseClause:
			n.Body = remove(n.Body, gone, &n.Decs.Colon)
		case *dst.CommClause:
			n.Body = remove(n.Body, gone, &n.Decs.Colon)
		}
		return true
	})
	t.joinLines()
	return t.text()
}

// remove returns a statement list without those that are gone. The comments above them go to the
// next statement, or after the one before; open are those after the opening brace or colon.
func remove(list []dst.Stmt, gone func(dst.Stmt) bool, open *dst.Decorations) (kept []dst.Stmt) {
	var above dst.Decorations  // comments to move
	var before dst.SpaceType   // space above them
	var label *dst.LabeledStmt // a label whose statement is gone
	for _, st := range list {
		d := st.Decorations()
		if len(above) > 0 && d.Before == dst.EmptyLine {
			above.Append("\n")
		}
		inner, of := unlabelled(st)
		if of != nil || !gone(st) {
			if len(above) == 0 {
				before = max(before, d.Before)
			}
			d.Start, d.Before, above, before = slices.Concat(above, d.Start), before, nil, dst.None
			if label == nil {
				kept = append(kept, st)
			} else {
				label.Stmt, label = st, nil
			}
		}
		if gone(inner) {
			label = cmp.Or(of, label)
			if d = inner.Decorations(); len(above) == 0 {
				before = max(before, d.Before)
			}
			above = join(slices.Concat(above, d.Start), d.End)
		}
	}
	if label != nil {
		label.Stmt = &dst.EmptyStmt{Implicit: true}
	}
	if n := len(kept); n > 0 {
		last := kept[n-1].Decorations()
		open, last.After = &last.End, list[len(list)-1].Decorations().After
	}
	if len(above) == 0 {
		return kept
	}
	if above[0] != "\n" {
		above = slices.Concat(dst.Decorations{"\n", "\n"}[:max(1, before)], above)
	}
	*open = join(*open, above)
	return kept
}

// unlabelled returns a statement without its labels, and the last of the labels or nil.
func unlabelled(st dst.Stmt) (inner dst.Stmt, label *dst.LabeledStmt) {
	for {
		l, ok := st.(*dst.LabeledStmt)
		if !ok {
			return st, label
		}
		st, label = l.Stmt, l
	}
}
