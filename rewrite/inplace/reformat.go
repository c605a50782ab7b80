package inplace

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// A formatter other than gofmt may move the import of the runtime to another group, and break long
// inserted lines. markgen keeps its result, or the two would undo each other's changes forever.

// reformatted reports whether the current text of a file differs from the marked text, and only in
// formatting. Both are the same without what is inserted.
func (w *writer) reformatted(marked, now []byte) bool {
	a, ok := w.codeBelow(marked)
	b, also := w.codeBelow(now)
	return ok && also && a == b
}

// codeBelow returns the code of a file below the imports. ok reports whether it imports the runtime
// as Mark does.
func (w *writer) codeBelow(text []byte) (below string, ok bool) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
	if len(text) == 0 || err != nil {
		return "", false
	}
	end := f.Name.End()
	for _, d := range f.Decls {
		end = d.End()
	}
	n := 0
	for _, spec := range f.Imports {
		if name(spec) == w.perf && spec.Path.Value == strconv.Quote(w.o.Runtime) {
			n++
		}
	}
	return code(text[end-f.FileStart:]), n == 1
}

func name(spec *ast.ImportSpec) string {
	if spec.Name == nil {
		return ""
	}
	return spec.Name.Name
}
