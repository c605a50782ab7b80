package inplace

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/markgen/markgen/rewrite"
)

// names are the identifiers that Mark inserts: for the import of the runtime, the
// scopes of a function, the markers of a package and those of its in-package tests. If
// the user has such a name, all four end in the same number.
type names struct {
	perf, scopes, marks, testMarks string
}

func numbered(number string) names {
	return names{"perf" + number, "perfs" + number, "perfmarks" + number, "perftestmarks" + number}
}

// clashes reports whether an identifier of the user is one of these names, or may be mistaken for
// one: the markers of a file with a build constraint have the file's name appended.
func (n names) clashes(word string) bool {
	return word == n.perf || word == n.scopes || strings.HasPrefix(word, n.marks) || strings.HasPrefix(word, n.testMarks)
}

// freeNames returns the names with the lowest number with which no identifier of the texts clashes.
func freeNames(runtime string, texts ...[]byte) names {
	words := map[string]bool{}
	for _, text := range texts {
		perfWords(text, runtime, words)
	}
	n := numbered("")
search:
	for i := 2; ; i++ {
		for word := range words {
			if n.clashes(word) {
				n = numbered(strconv.Itoa(i))
				continue search
			}
		}
		return n
	}
}

// mayClash matches a word that looks like an inserted name. It is a cheap test before a text is
// parsed.
var mayClash = regexp.MustCompile(`\bperf(s?[0-9]*\b|marks|testmarks)`)

// perfWords adds the identifiers of a Go text that begin with perf to words, except selectors: a name
// after a dot does not clash. Nor does the name of the user's own import of the runtime, which
// inserted statements share, unless the user's code has calls that look like inserted ones.
func perfWords(text []byte, runtime string, words map[string]bool) {
	if !mayClash.Match(text) {
		return
	}
	f, _ := parser.ParseFile(token.NewFileSet(), "", text, 0) // parsed before, so without error
	own := importedAs(f, runtime)
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return n.Name == nil || !slices.Contains(own, n.Name.Name)
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok || x.Obj != nil || !slices.Contains(own, x.Name) || insertedNames[n.Sel.Name] {
				ast.Inspect(n.X, visit)
			}
			return false
		case *ast.Ident:
			if strings.HasPrefix(n.Name, "perf") {
				words[n.Name] = true
			}
		}
		return true
	}
	ast.Inspect(f, visit)
}

// importedAs returns the names by which a file imports the runtime.
func importedAs(f *ast.File, runtime string) (names []string) {
	for _, spec := range f.Imports {
		if spec.Path.Value == strconv.Quote(runtime) {
			names = append(names, importName(spec))
		}
	}
	return names
}

// importName returns the name of an import of the runtime.
func importName(spec *ast.ImportSpec) string {
	if spec.Name == nil {
		return "perf"
	}
	return spec.Name.Name
}

// fieldNames returns a unique identifier for each point, made of its name without the import path:
// Parse, ParseFor1, TReadIf2Then.
func fieldNames(points []*rewrite.Point) map[*rewrite.Point]string {
	fields := make(map[*rewrite.Point]string, len(points))
	taken := map[string]bool{fieldBefore: true, fieldAfter: true}
	for _, p := range points {
		name := fieldName(strings.TrimPrefix(p.Name, p.Package+"."))
		free := name
		for i := 2; taken[free]; i++ {
			free = name + "_" + strconv.Itoa(i)
		}
		taken[free] = true
		fields[p] = free
	}
	return fields
}

// fieldName joins the words of a marker's name, with a capital letter at the start of each but the
// first.
func fieldName(name string) string {
	var b strings.Builder
	up := false
	for _, r := range name {
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			if up && b.Len() > 0 {
				r = unicode.ToUpper(r)
			} else if b.Len() == 0 && unicode.IsDigit(r) {
				b.WriteByte('n')
			}
			b.WriteRune(r)
			up = false
		default:
			up = true
		}
	}
	switch word := b.String(); {
	case strings.Trim(word, "_") == "":
		return "blank" + word
	case token.IsKeyword(word):
		return word + "_"
	default:
		return word
	}
}
