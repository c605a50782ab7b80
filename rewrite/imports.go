package rewrite

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// The import of the runtime stands where goimports would have put it, so that
// goimports and its like have nothing to move: in the block of imports, or as a
// declaration of its own where there are no others, or several, or only import "C". A lone
// import is made a block of two, and the note //perf:line behind ours says that it
// was one line:
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
// Where the lone import stands right below import "C", which goes into no block, the block has a blank line above it, as gofumpt
// has it, and the note is //perf:lines.
//
// Strip knows it by its path and by the statements that use it, wherever it is.

// importing is the spec that imports the runtime.
func (w *inPlaceWriter) importing() string { return w.perf + " " + strconv.Quote(w.o.Runtime) }

// importDecls are the import declarations of a file.
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

// importGroup is which of the groups an import belongs to that goimports keeps apart: the standard library's come first.
func importGroup(path string) int {
	first, _, _ := strings.Cut(path, "/")
	if strings.Contains(first, ".") {
		return 1
	}
	return 0
}

// lastImport is where the import declarations of a file end, or its package
// clause.
func (f *file) lastImport() int {
	if decls := importDecls(f.ast); len(decls) > 0 {
		return f.offset(decls[len(decls)-1].End())
	}
	return f.offset(f.ast.Name.End())
}

// importLines imports the runtime on lines of its own. It is false if there is no room for them.
func (w *inPlaceWriter) importLines(e *edits, f *file) bool {
	var decls []*ast.GenDecl
	for _, d := range importDecls(f.ast) {
		if !declaresC(d) { // which goimports leaves alone
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

// importInBlock puts the import among those it has most of its path in common with, in the order of paths.
func (w *inPlaceWriter) importInBlock(e *edits, f *file, d *ast.GenDecl) bool {
	path, group := w.o.Runtime, importGroup(w.o.Runtime)
	var run []ast.Spec // on successive lines
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

// commonPrefix is how many elements two paths begin with alike.
func commonPrefix(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// importBesideOne makes a block of a lone import.
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

// linesNote stands behind an import in the place of lineNote where the other stood right below another declaration.
const linesNote = "//perf:lines"

// importApart imports the runtime in a declaration of its own, behind the other imports.
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

// behindComments is the line behind the comments that begin at one, if it is empty or the file's last: the rest of the
// comment behind the package clause or an import.
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

// importInLine imports the runtime right behind the other imports.
func (w *inPlaceWriter) importInLine(e *edits, f *file, gap string) {
	e.insert(f.lastImport(), fmt.Sprintf("; import%s%s", gap, w.importing()))
}
