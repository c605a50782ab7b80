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
