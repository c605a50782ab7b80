package inplace

import (
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/dst"
)

// The import of the runtime is where goimports does not move it: a group of its own at the end of
// the import block, or a declaration of its own if there is no import declaration, or several, or
// only import "C". A single import becomes a block of two; the note //perf:line after ours tells
// Strip that it was on one line:
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
const linesNote = "//perf:lines"

// importInto imports the runtime.
func (w *writer) importInto(f *dst.File) {
	spec := &dst.ImportSpec{Name: dst.NewIdent(w.perf), Path: &dst.BasicLit{Kind: token.STRING, Value: strconv.Quote(w.o.Runtime)}}
	spec.Decs.Before, spec.Decs.After = dst.NewLine, dst.NewLine
	var only *dst.GenDecl // the declaration that goimports orders
	n, declarations := 0, 0
	for ; n < len(f.Decls); n++ {
		d, ok := f.Decls[n].(*dst.GenDecl)
		if !ok || d.Tok != token.IMPORT {
			break
		}
		if !slices.ContainsFunc(d.Specs, func(s dst.Spec) bool { return strings.Trim(s.(*dst.ImportSpec).Path.Value, "\"`") == "C" }) {
			only, declarations = d, declarations+1
		}
	}
	if declarations == 1 && len(only.Specs) > 0 {
		if !only.Lparen {
			note := lineNote
			if only.Decs.Before == dst.NewLine && only != f.Decls[0] && len(only.Decs.Start) == 0 {
				only.Decs.Before, note = dst.EmptyLine, linesNote
			}
			spec.Decs.End.Append(note)
			other := only.Specs[0].Decorations()
			other.Before, other.After = dst.NewLine, dst.NewLine
			other.End, only.Decs.End = append(other.End, only.Decs.End...), nil
			only.Lparen, only.Rparen = true, true
		}
		spec.Decs.Before = dst.EmptyLine
		only.Specs = append(only.Specs, spec)
		return
	}
	d := &dst.GenDecl{Tok: token.IMPORT, Specs: []dst.Spec{spec}}
	spec.Decs.Before, spec.Decs.After = dst.None, dst.None
	if d.Decs.Before = dst.NewLine; n == 0 {
		d.Decs.Before = dst.EmptyLine
	} else {
		endLine(f.Decls[n-1])
	}
	d.Decs.After = dst.NewLine
	f.Decls = slices.Insert(f.Decls, n, dst.Decl(d))
}

// endLine makes a declaration of imports end its line, without a blank line.
func endLine(d dst.Decl) {
	specs := d.(*dst.GenDecl).Specs
	d.Decorations().After = dst.NewLine
	if len(specs) > 0 {
		specs[len(specs)-1].Decorations().After = dst.NewLine
	}
}

// dropImport undoes importInto.
func (t *tree) dropImport(spec *dst.ImportSpec) {
	for i, decl := range t.file.Decls {
		d, ok := decl.(*dst.GenDecl)
		at := -1
		if ok {
			at = slices.Index(d.Specs, dst.Spec(spec))
		}
		if at < 0 {
			continue
		}
		d.Specs = slices.Delete(d.Specs, at, at+1)
		if len(d.Specs) == 0 && len(d.Decs.Lparen) == 0 && len(spec.Decs.Start) == 0 {
			if i+1 < len(t.file.Decls) {
				next := t.file.Decls[i+1].Decorations()
				next.Before = max(next.Before, d.Decs.Before)
				next.Start = slices.Concat(d.Decs.Start, next.Start)
			}
			t.file.Decls = slices.Delete(t.file.Decls, i, i+1)
			return
		}
		note := ""
		if n := len(spec.Decs.End); n > 0 {
			note = spec.Decs.End[0]
		}
		if at < len(d.Specs) {
			next := d.Specs[at].Decorations()
			if at == 0 || spec.Decs.Before == dst.EmptyLine {
				next.Before = spec.Decs.Before
			}
			next.Start = slices.Concat(spec.Decs.Start, next.Start)
		} else if len(spec.Decs.Start) > 0 {
			tail := &d.Decs.Lparen
			if at > 0 {
				tail = &d.Specs[at-1].Decorations().End
			}
			*tail = join(*tail, append(dst.Decorations{"\n"}, spec.Decs.Start...))
		}
		if len(d.Specs) != 1 || note != lineNote && note != linesNote {
			return
		}
		other := d.Specs[0].Decorations()
		if len(other.Start) > 0 || len(d.Decs.Lparen) > 0 {
			return
		}
		d.Lparen, d.Rparen = false, false
		other.Before, other.After = dst.None, dst.None
		d.Decs.End, other.End = append(other.End, d.Decs.End...), nil
		if note == linesNote {
			d.Decs.Before = dst.NewLine
			if i > 0 {
				endLine(t.file.Decls[i-1])
			}
		}
		return
	}
}
