package rewrite

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	rt "github.com/markgen/markgen/runtime"
)

// importNote is the comment that earlier versions put after the import. Formatters may have moved
// the import away from it.
const importNote = "inserted by markgen"

func isImportNote(c *ast.Comment) bool {
	return c.Text == "// "+importNote || c.Text == "/* "+importNote+" */"
}

// ownImports returns the imports that InPlace may have inserted: of the runtime, by a name that
// InPlace uses. The highest number comes first, since perfmarks is a prefix of perfmarks2.
func (s *stripper) ownImports() (specs []*ast.ImportSpec) {
	for _, spec := range s.f.Imports {
		if spec.Name == nil || !rt.IsPerf(importPath(spec)) {
			continue
		}
		number, ok := strings.CutPrefix(spec.Name.Name, "perf")
		if ok && strings.Trim(number, "0123456789") == "" && !strings.HasPrefix(number, "0") {
			specs = append(specs, spec)
		}
	}
	slices.SortStableFunc(specs, func(a, b *ast.ImportSpec) int {
		return cmp.Or(len(b.Name.Name)-len(a.Name.Name), strings.Compare(b.Name.Name, a.Name.Name))
	})
	return specs
}

// importNote returns the note after an import, or nil.
func (s *stripper) importNote(spec *ast.ImportSpec) *ast.Comment {
	if c := s.commentBehind(spec.End()); c != nil && (c.Text == lineNote || c.Text == linesNote || isImportNote(c)) {
		return c
	}
	return nil
}

// keepImport marks the note after an import for removal, but not the import, which the user's code
// uses.
func (s *stripper) keepImport(spec *ast.ImportSpec) {
	if note := s.importNote(spec); note != nil {
		s.spans = append(s.spans, span{s.offset(spec.End()), s.offset(note.Pos()) + len(note.Text), false})
	}
}

// dropImport marks the import of the runtime for removal, wherever it has been moved.
func (s *stripper) dropImport(spec *ast.ImportSpec) {
	statements := s.spans
	s.spans, s.last = nil, 0
	var decl *ast.GenDecl
	decls := importDecls(s.f)
	for _, d := range decls {
		if d.Pos() <= spec.Pos() && spec.End() <= d.End() {
			decl = d
		}
	}
	from, to := s.offset(spec.Pos()), s.offset(spec.End())
	note := s.importNote(spec)
	if note != nil {
		to = s.offset(note.Pos()) + len(note.Text)
	}
	switch block := decl.Lparen.IsValid(); {
	case block && len(decl.Specs) == 2 && note != nil && !isImportNote(note) && s.unblock(decl, spec, note):
	case block && (len(decl.Specs) > 1 || s.commented(decl, note)):
		s.drop(from, to, true)
		if sp := &s.spans[0]; sp.lines {
			s.closeGap(sp, decl)
		}
	default:
		if from = s.offset(decl.Pos()); block {
			to = s.offset(decl.End())
		}
		s.drop(from, to, true)
		if sp := &s.spans[0]; sp.lines && len(decls) == 1 && sp.from > 0 {
			above := lineStart(s.src, sp.from-1)
			if blank(s.src[above:sp.from-1]) && above > 0 {
				sp.from = above
			}
		}
	}
	s.spans = append(s.spans, statements...)
}

// closeGap extends the span of an import in a block to the adjacent blank line, if the import was a
// group by itself.
func (s *stripper) closeGap(sp *span, decl *ast.GenDecl) {
	above, below := lineStart(s.src, max(sp.from-1, 0)), lineEnd(s.src, sp.to)
	next := s.src[sp.to:below]
	gap := len(next) > 0 && blank(next[:len(next)-1])
	last := skipBlanks(s.src, sp.to) == s.offset(decl.Rparen)
	switch {
	case blank(s.src[above:max(sp.from-1, 0)]) && (gap || last):
		sp.from = above
	case above <= s.offset(decl.Lparen) && gap:
		sp.to = below
	}
}

// unblock marks the parentheses of a block of two imports for removal, together with our import. It
// does not, and returns false, if the user has written a comment there, which could not be kept.
func (s *stripper) unblock(decl *ast.GenDecl, ours *ast.ImportSpec, note *ast.Comment) bool {
	other := decl.Specs[0]
	if other == ours {
		other = decl.Specs[1]
	}
	lparen, start := s.offset(decl.Lparen), s.offset(other.Pos())
	end, rparen := lineEnd(s.src, s.offset(other.End())), s.offset(decl.Rparen)
	rest := lineEnd(s.src, rparen)
	if end > rparen || !blank(s.src[lineStart(s.src, start):start]) || !blank([]byte(strings.TrimSuffix(string(s.src[rparen+1:rest]), "\n"))) {
		return false
	}
	if at := s.offset(ours.Pos()); start < at && at < end {
		return false
	}
	for _, g := range s.f.Comments {
		for _, c := range g.List {
			at := s.offset(c.Pos())
			if c != note && lparen < at && at < rparen && (at < start || at >= end) {
				return false
			}
		}
	}
	s.spans = append(s.spans, span{lparen, start, true}, span{end, rest, true})
	if at := lineStart(s.src, s.offset(decl.Pos())); note.Text == linesNote && at > 0 {
		if above := lineStart(s.src, at-1); blank(s.src[above : at-1]) {
			s.spans = append(s.spans, span{above, at, true})
		}
	}
	return true
}

// commented reports whether a declaration has a comment other than note.
func (s *stripper) commented(decl *ast.GenDecl, note *ast.Comment) bool {
	for _, g := range s.f.Comments {
		for _, c := range g.List {
			if c != note && decl.Pos() < c.Pos() && c.Pos() < decl.End() {
				return true
			}
		}
	}
	return false
}

// dropNotes marks remaining notes of earlier versions for removal. They are in or below the
// imports.
func (s *stripper) dropNotes() {
	end := s.f.FileEnd
	for _, d := range s.f.Decls {
		if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
			end = d.Pos()
			break
		}
	}
	for _, g := range s.f.Comments {
		if g.Pos() < s.f.Name.End() || g.Pos() >= end || !strings.Contains(g.List[0].Text, importNote) || s.documents(g) {
			continue
		}
		for _, c := range g.List {
			at := s.offset(c.Pos())
			if !isImportNote(c) || s.inSpan(at) {
				continue
			}
			to := at + len(c.Text)
			start, below := lineStart(s.src, at), lineEnd(s.src, to)
			if head := s.src[start:at]; !blank(head) {
				s.spans = append(s.spans, span{at - (len(head) - len(strings.TrimRight(string(head), " \t"))), to, false})
				continue
			}
			sp := span{start, below, true}
			above := lineStart(s.src, max(start-1, 0))
			next := s.src[below:lineEnd(s.src, below)]
			if blank(s.src[above:max(start-1, 0)]) && blank([]byte(strings.TrimSuffix(string(next), "\n"))) {
				sp.from = above
			}
			s.spans = append(s.spans, sp)
		}
	}
}

// documents reports whether a comment is the doc comment of a declaration.
func (s *stripper) documents(g *ast.CommentGroup) bool {
	for _, d := range s.f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Doc == g {
				return true
			}
		case *ast.GenDecl:
			if d.Doc == g && d.Tok != token.IMPORT {
				return true
			}
		}
	}
	return false
}
