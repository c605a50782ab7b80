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

// declarations are what source says of functions. Each file is read once.
type declarations struct {
	read  func(sourceName) (text string, ok bool)
	files map[sourceName]*declaredFile
	more  bool // files without functions in the page may be read, too
}

// A declaredFile is what a file says. That of a file which can't be had, or is no Go, is empty.
type declaredFile struct {
	name, doc string              // of the package; doc is a sentence
	functions map[string]declared // by name, that of methods behind their type and a dot
	lines     map[int]string      // their names by the line that they begin in
}

// declared is what is said of one function.
type declared struct{ doc, signature string }

func newDeclarations(read func(sourceName) (string, bool), more bool) *declarations {
	return &declarations{read, map[sourceName]*declaredFile{}, more}
}

// file is the one that a marker is in.
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

// docOfPackage looks for the comment of a marker's package where it is if not in a file with functions.
func (d *declarations) docOfPackage(m *profile.Marker) string {
	if !d.more || m.File == "" {
		return ""
	}
	at := sourceOf(m)
	at.file = path.Join(path.Dir(at.file), "doc.go")
	return d.named(at).doc
}

// refine gives a function whose marker has a name of its own the name that it is called by.
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

// of is what is said of a function.
func (d *declarations) of(f *apiFunction) declared {
	name := f.name
	if f.typ != "" {
		name = f.typ + "." + name
	}
	return d.file(f.marker).functions[name]
}

// parse takes from the text of a file what there is to take. Of one with errors that is nothing: it is not
// what the program was built from.
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

// signature is the declaration without comment and body, on one line: printed without positions it
// knows of no others.
func signature(fn *ast.FuncDecl) string {
	var b strings.Builder
	bare := ast.FuncDecl{Recv: fn.Recv, Name: fn.Name, Type: fn.Type}
	if err := printer.Fprint(&b, token.NewFileSet(), &bare); err != nil {
		return "" // no declaration that was parsed is one that can't be printed
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// links are taken for such wherever they look like one, as the declarations they lead to are not known.
var links = comment.Parser{
	LookupPackage: func(name string) (path string, ok bool) { return name, true },
	LookupSym:     func(string, string) bool { return true },
}

// sentence is the first one of a comment, without the brackets of links.
func sentence(of *ast.CommentGroup) string {
	if of == nil {
		return ""
	}
	text := new(comment.Printer).Text(links.Parse(of.Text()))
	return new(doc.Package).Synopsis(string(text))
}
