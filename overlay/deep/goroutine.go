package deep

import (
	"go/ast"
)

const theG = "struct type g"

// goroutine adds the field at the end of the g struct: assembly and the linker know the offsets of
// the first fields.
func (r *rewriter) goroutine(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok || t.Name.Name != "g" {
			continue
		}
		if s, ok := t.Type.(*ast.StructType); ok {
			r.found[theG]++
			r.insert(s.Fields.Closing, "markgen MarkgenGoroutine ")
		}
	}
}

// endOf are the functions that end a goroutine, when it returns or calls Goexit, while it can still
// call Go functions. coroexit is for coroutines.
var endOf = map[string]string{
	"goexit1":  "function goexit1, by which goroutines end",
	"coroexit": "function coroexit, by which coroutines end",
}

// ends inserts a call of markgenGone into the functions that end goroutines.
func (r *rewriter) ends(f *ast.FuncDecl) {
	if what := endOf[f.Name.Name]; what != "" && f.Recv == nil {
		r.found[what]++
		r.insert(f.Body.Lbrace+1, " markgenGone();")
	}
}

// startGoroutine is the function that go statements call. newGoroutine is the assignment, in a
// function that it calls, after which newg belongs to the new goroutine.
const (
	startGoroutine = "function newproc, which go statements call"
	newGoroutine   = "statement newg.parentGoid = callergp.goid"
)

// starts inserts a call of markgenStarts into newproc, and passes its result on to the new
// goroutine.
func (r *rewriter) starts(text []byte, f *ast.FuncDecl) {
	if params := f.Type.Params.List; f.Name.Name == "newproc" && f.Recv == nil && len(params) == 1 && len(params[0].Names) == 1 {
		r.found[startGoroutine]++
		r.insert(f.Body.Lbrace+1, " markgenStarts("+params[0].Names[0].Name+");")
	}
	for _, s := range f.Body.List {
		a, ok := s.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 || field(a.Lhs[0]) != "parentGoid" || field(a.Rhs[0]) != "goid" {
			continue
		}
		r.found[newGoroutine]++
		to, from := r.source(text, a.Lhs[0].(*ast.SelectorExpr).X), r.source(text, a.Rhs[0].(*ast.SelectorExpr).X)
		r.insert(a.End(), "; "+to+".markgen.Start, "+from+".markgen.Starting = "+from+".markgen.Starting, 0")
	}
}
