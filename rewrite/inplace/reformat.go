package inplace

import (
	"go/parser"
	"go/token"
	"slices"
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
	return code(text[end-f.FileStart:]), slices.Contains(importedAs(f, w.o.Runtime), w.perf)
}
