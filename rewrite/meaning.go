package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"sort"
)

// declaredAt returns the byte offset of the declaration of the variable that name denotes if the
// variable is declared in a function, else -1. It has the parser resolve all names of a top-level
// declaration on the first call for a name in it.
func (f *file) declaredAt(name *ast.Ident) int {
	decls := f.ast.Decls
	i := sort.Search(len(decls), func(i int) bool { return decls[i].End() > name.Pos() })
	if i == len(decls) {
		return -1
	}
	if f.variables == nil {
		f.variables = map[ast.Decl]map[int]int{}
	}
	in, ok := f.variables[decls[i]]
	if !ok {
		in = f.resolve(decls[i])
		f.variables[decls[i]] = in
	}
	if at, ok := in[f.offset(name.Pos())]; ok {
		return at
	}
	return -1
}

// resolve returns, for each use of a function's variable in a declaration, the byte offset of the
// variable's declaration, by the byte offset of the use.
func (f *file) resolve(decl ast.Decl) map[int]int {
	const before = "package p;"
	from, to := f.offset(decl.Pos()), f.offset(decl.End())
	fset := token.NewFileSet()
	resolved, err := parser.ParseFile(fset, f.Name, before+string(f.Text[from:to]), 0)
	if err != nil {
		return nil
	}
	variables := map[int]int{}
	base := fset.File(resolved.FileStart).Base() + len(before) - from
	ast.Inspect(resolved, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if ok && name.Obj != nil && name.Obj.Kind == ast.Var && resolved.Scope.Lookup(name.Name) != name.Obj {
			variables[int(name.Pos())-base] = int(name.Obj.Pos()) - base
		}
		return true
	})
	return variables
}
