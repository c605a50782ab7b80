package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// LastName is the name under which TellLast imports the runtime.
const LastName = "markgen_last"

// TellLast returns the text of a file of package main with an added variable, whose initialiser
// tells the runtime that all tables are registered (perf.Last). It is for programs in which only
// other packages are marked. Line numbers do not change. LastName must not occur in the package.
func TellLast(text []byte, runtime string) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	clause := fset.Position(f.Name.End()).Offset
	end := clause
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			end = fset.PositionFor(g.End(), false).Offset
		}
	}
	out := append([]byte(nil), text[:clause]...)
	out = append(out, "; import "+LastName+" "+strconv.Quote(runtime)...)
	out = append(out, text[clause:end]...)
	out = append(out, "; var _ = "+LastName+".Last(true)"...)
	return append(out, text[end:]...), nil
}
