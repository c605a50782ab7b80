package overlay

import (
	"bytes"
	"go/parser"
	"go/token"
)

// sourceHeader identifies what go list looks at in a source file, besides its
// name: whether and when it belongs to which package, what it imports and
// embeds. As long as that is the same, the rest of the file may change without
// go list having anything else to say. It is "" if that is not known: of a file
// that does not parse so far, and of one for cgo, whose comments are compiled.
func sourceHeader(text []byte) string {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return ""
	}
	h := newHasher()
	from := fset.Position(f.Package).Offset
	// What of these comments is a constraint depends on blank lines, too.
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
