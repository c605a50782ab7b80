package deep

import (
	"go/ast"
)

const theG = "struct type g"

// goroutine adds the field to the struct of a goroutine, as the last: assembly and
// the linker know the first ones by their offsets.
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

// endOf are the functions by which a goroutine ends, of its own accord or by
// Goexit, while it can still call Go functions: the second is for coroutines.
var endOf = map[string]string{
	"goexit1":  "function goexit1, by which goroutines end",
	"coroexit": "function coroexit, by which coroutines end",
}

// ends has goroutines say that they end.
func (r *rewriter) ends(f *ast.FuncDecl) {
	if what := endOf[f.Name.Name]; what != "" && f.Recv == nil {
		r.found[what]++
		r.insert(f.Body.Lbrace+1, " markgenGone();")
	}
}
