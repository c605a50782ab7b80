package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// declaredAt is the byte offset at which the variable of that name is declared, if that is in a function, else -1. The parser finds it,
// when it is first asked for: what names mean is rarely asked.
func (f *file) declaredAt(name *ast.Ident) int {
	if f.variables == nil {
		f.variables = map[int]int{}
		f.resolve()
	}
	if at, ok := f.variables[f.offset(name.Pos())]; ok {
		return at
	}
	return -1
}

// resolve fills variables.
func (f *file) resolve() {
	fset := token.NewFileSet()
	resolved, err := parser.ParseFile(fset, f.Name, f.Text, 0)
	if err != nil {
		return
	}
	base := fset.File(resolved.FileStart).Base()
	ast.Inspect(resolved, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if ok && name.Obj != nil && name.Obj.Kind == ast.Var && resolved.Scope.Lookup(name.Name) != name.Obj {
			f.variables[int(name.Pos())-base] = int(name.Obj.Pos()) - base
		}
		return true
	})
}
