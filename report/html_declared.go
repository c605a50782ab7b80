package report

import (
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/printer"
	"go/token"
	"path"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/rewrite"
)

// declarations finds the declarations of functions in source files. Each file is read once.
type declarations struct {
	read  func(sourceName) (text string, ok bool)
	files map[sourceName]*declaredFile
	more  bool // files without functions in the page may be read, too
}

// A declaredFile has the declarations of a file. It is empty if the file cannot be read or is not
// valid Go.
type declaredFile struct {
	name, doc string              // of the package; doc is the first sentence
	functions map[string]declared // by name; methods have the prefix "Type."
	lines     map[int]string      // names of functions by the line on which they begin
}

// declared is the documentation of one function.
type declared struct{ doc, signature string }

func newDeclarations(read func(sourceName) (string, bool), more bool) *declarations {
	return &declarations{read, map[sourceName]*declaredFile{}, more}
}

// file returns the file of a marker.
func (d *declarations) file(m *profile.Marker) *declaredFile {
	if m.File == "" {
		return &declaredFile{}
	}
	return d.named(sourceOf(m))
}

func (d *declarations) named(at sourceName) *declaredFile {
	if f := d.files[at]; f != nil {
		return f
	}
	f := &declaredFile{}
	d.files[at] = f
	if text, ok := d.read(at); ok {
		f.parse(text)
	}
	return f
}

// docOfPackage looks for the doc comment of a marker's package in files without functions in the
// page.
func (d *declarations) docOfPackage(m *profile.Marker) string {
	if !d.more || m.File == "" {
		return ""
	}
	at := sourceOf(m)
	at.file = path.Join(path.Dir(at.file), "doc.go")
	return d.named(at).doc
}

// refine replaces the name of a function whose marker was named by a directive with the declared
// name.
func (d *declarations) refine(f *apiFunction) {
	if f.typ != "" || token.IsIdentifier(f.name) {
		return
	}
	name, ok := d.file(f.marker).lines[f.marker.Line]
	if !ok {
		return
	}
	typ, method, isMethod := strings.Cut(name, ".")
	if f.name = name; isMethod {
		f.typ, f.name = typ, method
	}
	f.export()
}

// of returns the documentation of a function.
func (d *declarations) of(f *apiFunction) declared {
	name := f.name
	if f.typ != "" {
		name = f.typ + "." + name
	}
	return d.file(f.marker).functions[name]
}

// parse parses the text of a file. If it has errors, the result is empty: the program was not built
// from it.
func (f *declaredFile) parse(text string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return
	}
	f.name, f.doc = file.Name.Name, sentence(file.Doc)
	f.functions, f.lines = map[string]declared{}, map[int]string{}
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := rewrite.MethodKey(fn)
		f.functions[name] = declared{sentence(fn.Doc), signature(fn)}
		f.lines[fset.Position(fn.Pos()).Line] = name
	}
}

// signature returns the declaration without comment and body. It is on one line, since it is
// printed without positions.
func signature(fn *ast.FuncDecl) string {
	var b strings.Builder
	bare := ast.FuncDecl{Recv: fn.Recv, Name: fn.Name, Type: fn.Type}
	if err := printer.Fprint(&b, token.NewFileSet(), &bare); err != nil {
		return "" // impossible: parsed declarations can be printed
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// links accepts everything that looks like a doc link, since the linked declarations are not known.
var links = comment.Parser{
	LookupPackage: func(name string) (path string, ok bool) { return name, true },
	LookupSym:     func(string, string) bool { return true },
}

// sentence returns the first sentence of a comment, without the brackets of links.
func sentence(of *ast.CommentGroup) string {
	if of == nil {
		return ""
	}
	text := new(comment.Printer).Text(links.Parse(of.Text()))
	return new(doc.Package).Synopsis(string(text))
}
