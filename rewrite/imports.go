package rewrite

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// The import of the runtime is where goimports would put it, so that goimports does not
// move it: in the import block, or in a declaration of its own if there is no import
// declaration, or several, or only import "C". A single import becomes a block of two;
// the note //perf:line after ours tells Strip that it was on one line:
//
//	import "fmt"
//
// becomes
//
//	import (
//		"fmt"
//
//		perf "github.com/markgen/markgen/runtime/perf" //perf:line
//	)
//
// If the single import is directly below import "C", which goes into no block, a blank line is
// inserted above the block, as gofumpt does, and the note is //perf:lines.
//
// Strip recognises the import by its path and by the statements that use it, wherever it is.

// importing returns the import spec of the runtime.
func (w *inPlaceWriter) importing() string { return w.perf + " " + strconv.Quote(w.o.Runtime) }

// importDecls returns the import declarations of a file.
func importDecls(f *ast.File) (list []*ast.GenDecl) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			break
		}
		list = append(list, g)
	}
	return list
}

func importPath(spec ast.Spec) string {
	path, _ := strconv.Unquote(spec.(*ast.ImportSpec).Path.Value)
	return path
}

func importName(spec ast.Spec) string {
	if name := spec.(*ast.ImportSpec).Name; name != nil {
		return name.Name
	}
	return ""
}

// importGroup returns the goimports group of an import: 0 for the standard library, 1 for others.
func importGroup(path string) int {
	first, _, _ := strings.Cut(path, "/")
	if strings.Contains(first, ".") {
		return 1
	}
	return 0
}

// lastImport returns the end of the file's import declarations, or of its package clause if it has
// none.
func (f *file) lastImport() int {
	if decls := importDecls(f.ast); len(decls) > 0 {
		return f.offset(decls[len(decls)-1].End())
	}
	return f.offset(f.ast.Name.End())
}

// importLines imports the runtime on lines of its own. It reports whether there was a place for
// them.
func (w *inPlaceWriter) importLines(e *edits, f *file) bool {
	var decls []*ast.GenDecl
	for _, d := range importDecls(f.ast) {
		if !declaresC(d) { // goimports does not touch import "C"
			decls = append(decls, d)
		}
	}
	if len(decls) == 1 {
		d := decls[0]
		if !d.Lparen.IsValid() {
			if w.importBesideOne(e, f, d) {
				return true
			}
		} else if len(d.Specs) > 0 && w.importInBlock(e, f, d) {
			return true
		}
	}
	return w.importApart(e, f)
}

func declaresC(d *ast.GenDecl) bool {
	for _, s := range d.Specs {
		if importPath(s) == "C" {
			return true
		}
	}
	return false
}

// importInBlock puts the import among those with which it shares the longest path prefix, in the
// order of paths.
func (w *inPlaceWriter) importInBlock(e *edits, f *file, d *ast.GenDecl) bool {
	path, group := w.o.Runtime, importGroup(w.o.Runtime)
	var run []ast.Spec // imports on successive lines
	best := -1
	start, line := 0, 0
	for i, s := range d.Specs {
		if from := f.position(s.Pos()).Line; i > 0 && from > line+1 {
			start = i
		}
		line = f.position(s.End()).Line
		like := 2 * commonPrefix(importPath(s), path)
		if importGroup(importPath(s)) == group {
			like++
		}
		if like > best {
			best, run = like, d.Specs[start:]
		}
	}
	for i := range run {
		if i > 0 && f.position(run[i].Pos()).Line > f.position(run[i-1].End()).Line+1 {
			run = run[:i]
			break
		}
	}
	first, last := run[0].(*ast.ImportSpec), run[len(run)-1]
	top := f.offset(first.Pos())
	if first.Doc != nil {
		top = f.offset(first.Doc.Pos())
	}
	with := func(at int, before, after string) bool {
		nl := newline(f.Text, at-1)
		e.insert(at, strings.ReplaceAll(before+"\t"+w.importing()+"\n"+after, "\n", nl))
		return true
	}
	at, ok := behindLine(f.Text, f.offset(last.End()))
	if !ok {
		return false
	}
	joins := false
	for _, s := range run {
		if importGroup(importPath(s)) != group {
			continue
		}
		joins = true
		if p := importPath(s); p < path || p == path && importName(s) < w.perf {
			continue
		}
		if s != run[0] {
			top = f.offset(s.Pos())
		}
		if !blank(f.Text[lineStart(f.Text, top):top]) {
			return false
		}
		return with(lineStart(f.Text, top), "", "")
	}
	switch {
	case joins:
		return with(at, "", "")
	case group > importGroup(importPath(last)):
		return with(at, "\n", "")
	case blank(f.Text[lineStart(f.Text, top):top]):
		return with(lineStart(f.Text, top), "", "\n")
	}
	return false
}

// commonPrefix returns the number of leading elements that two paths share.
func commonPrefix(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// importBesideOne makes a block of a single import and the runtime's.
func (w *inPlaceWriter) importBesideOne(e *edits, f *file, d *ast.GenDecl) bool {
	from := f.offset(d.Specs[0].Pos())
	to, ok := behindLine(f.Text, f.offset(d.End()))
	if !ok || string(f.Text[f.offset(d.Pos()):from]) != "import " {
		return false
	}
	nl, note := newline(f.Text, from), lineNote
	if start := lineStart(f.Text, f.offset(d.Pos())); d != importDecls(f.ast)[0] && d.Doc == nil && start == f.offset(d.Pos()) {
		if !blank(f.Text[lineStart(f.Text, start-1) : start-1]) {
			e.insert(start, nl)
			note = linesNote
		}
	}
	ours := "\t" + w.importing() + " " + note + nl
	head, tail := "("+nl, ours+")"+nl
	switch path := importPath(d.Specs[0]); {
	case importGroup(path) < importGroup(w.o.Runtime):
		tail = nl + tail
	case importGroup(path) > importGroup(w.o.Runtime):
		head, tail = head+ours+nl, ")"+nl
	case path > w.o.Runtime:
		head, tail = head+ours, ")"+nl
	}
	e.insert(from, head+"\t")
	e.insert(to, tail)
	e.list[len(e.list)-1].comment = true
	return true
}

// linesNote replaces lineNote if the single import was directly below another declaration.
const linesNote = "//perf:lines"

// importApart imports the runtime in a declaration of its own, after the other imports.
func (w *inPlaceWriter) importApart(e *edits, f *file) bool {
	end := f.lastImport()
	at, ok := behindLine(f.Text, end)
	if !ok {
		return false
	}
	at = behindComments(f.Text, at)
	nl := newline(f.Text, end)
	text := "import " + w.importing() + nl
	if len(importDecls(f.ast)) == 0 {
		text = nl + text
	}
	e.insert(at, text)
	return true
}

// behindComments returns the offset of the line after the comment lines at offset at, if that line
// is empty or the end of the file, else at. Such comments continue the comment on the line before,
// that of the package clause or an import.
func behindComments(text []byte, at int) int {
	end := at
	for bytes.HasPrefix(bytes.TrimLeft(text[end:], " \t"), []byte("//")) {
		end = lineEnd(text, end)
	}
	if rest := text[end:]; len(rest) > 0 && rest[0] != '\n' && rest[0] != '\r' {
		return at
	}
	return end
}

// importInLine imports the runtime on the line where the other imports end.
func (w *inPlaceWriter) importInLine(e *edits, f *file, gap string) {
	e.insert(f.lastImport(), fmt.Sprintf("; import%s%s", gap, w.importing()))
}
