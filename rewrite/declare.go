package rewrite

import (
	"bytes"
	"go/ast"
	"go/token"
	"iter"
	"sort"
)

// declarations returns the names declared in a node, in any scope: of functions, parameters and
// results, variables, constants and types, but not of imports, fields or methods. Function literals
// in the node are included if literals is true.
func declarations(root ast.Node, literals bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		more := true
		declare := func(x ast.Expr) {
			if name, ok := x.(*ast.Ident); ok && name != nil && more {
				more = yield(name.Name)
			}
		}
		names := func(list []*ast.Ident) {
			for _, name := range list {
				declare(name)
			}
		}
		ast.Inspect(root, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.StructType, *ast.InterfaceType:
				return false
			case *ast.FuncLit:
				return more && literals
			case *ast.FuncDecl:
				if n.Recv == nil {
					declare(n.Name)
				}
			case *ast.Field:
				names(n.Names)
			case *ast.ValueSpec:
				names(n.Names)
			case *ast.TypeSpec:
				declare(n.Name)
			case *ast.AssignStmt:
				if n.Tok == token.DEFINE {
					for _, x := range n.Lhs {
						declare(x)
					}
				}
			case *ast.RangeStmt:
				if n.Tok == token.DEFINE {
					declare(n.Key)
					declare(n.Value)
				}
			}
			return more
		})
	}
}

// redeclares reports whether the unit may redeclare a predeclared name. Another unit of the package,
// its in-package tests, may do so at package level, too; none in the standard library and the modules
// of the corpus redeclares one of those that matter here.
func (u *Unit) redeclares(word string) bool { return declared(u.files, word) }

// declared reports whether the files declare or import the predeclared name word, so that it may
// mean something else.
func declared(files []*file, word string) bool {
	for _, f := range files {
		if !f.mentions(word) {
			continue
		}
		for _, spec := range f.ast.Imports {
			if spec.Name != nil && spec.Name.Name == word {
				return true
			}
		}
		for name := range declarations(f.ast, true) {
			if name == word {
				return true
			}
		}
	}
	return false
}

// topNames returns the names that the unit declares at package level.
func (u *Unit) topNames() map[string]bool {
	names := map[string]bool{}
	for _, f := range u.files {
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						names[spec.Name.Name] = true
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							names[name.Name] = true
						}
					}
				}
			}
		}
	}
	return names
}

// predeclared reports whether a predeclared name has its predeclared meaning in the function:
// neither the package nor the function's top-level declaration redeclares it.
func (fn *function) predeclared(name string) bool {
	return !fn.file.top[name] && !fn.declares(name)
}

// declares reports whether the function's top-level declaration declares a name, wherever that is.
func (fn *function) declares(name string) bool {
	at, decls := fn.typ.Pos(), fn.file.ast.Decls
	i := sort.Search(len(decls), func(i int) bool { return decls[i].End() > at })
	return i < len(decls) && fn.file.declaredIn(decls[i])[name]
}

// declaredIn returns the names that a declaration of the file declares. It computes them on the
// first call.
func (f *file) declaredIn(d ast.Decl) map[string]bool {
	names, ok := f.names[d]
	if !ok {
		names = map[string]bool{}
		for name := range declarations(d, true) {
			names[name] = true
		}
		if f.names == nil {
			f.names = map[ast.Decl]map[string]bool{}
		}
		f.names[d] = names
	}
	return names
}

// mentions reports whether the file may declare the word: it occurs other than as the
// function of a call, or after func.
func (f *file) mentions(word string) bool {
	n := bytes.Count(f.Text, []byte(word))
	return n > bytes.Count(f.Text, []byte(word+"(")) || bytes.Contains(f.Text, []byte("func "+word+"("))
}
