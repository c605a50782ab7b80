package overlay

import (
	"bytes"
	"go/parser"
	"go/token"
)

// sourceHeader identifies the part of a source file that go list looks at: its build constraints,
// package clause, imports and embed directives. As long as that is the same, the rest of the file
// may change without affecting the output of go list. It is "" if unknown: for a file whose header
// does not parse, and for cgo, whose comments are compiled.
func sourceHeader(text []byte) string {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return ""
	}
	h := newHasher()
	from := fset.Position(f.Package).Offset
	// Whether these comments are constraints depends on blank lines, too.
	if head := text[:from]; bytes.Contains(head, []byte("build")) || bytes.Contains(head, []byte("//go:")) {
		h.bytes(head)
	}
	line, _, _ := bytes.Cut(text[from:], []byte("\n")) // may have an import comment
	h.words("package", f.Name.Name, string(bytes.TrimSpace(line)))
	for _, spec := range f.Imports {
		if spec.Path.Value == `"C"` || spec.Path.Value == "`C`" {
			return ""
		}
		h.words("import", spec.Path.Value)
	}
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte("//go:embed")) {
			h.words("embed")
			h.bytes(bytes.TrimSpace(line))
		}
	}
	return h.String()
}
