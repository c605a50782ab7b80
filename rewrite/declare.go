package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
)

// declarations are the names that are declared in a node, in any scope: those of functions,
// parameters and results, variables, constants and types, but not of imports. Fields and methods
// are in no scope. Function literals in the node are left out where literals is false.
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

// declaredNames are the names that files declare, but for those of imports.
func declaredNames(files []*file) map[string]bool {
	names := map[string]bool{}
	for _, f := range files {
		for name := range declarations(f.ast, true) {
			names[name] = true
		}
	}
	return names
}

// declared says whether anything in the files has the name of a predeclared function or type, so
// that it may mean something else.
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

// panicsOf says which calls of panic in the files are of something else: the compiler takes a function for one that ends there
// if it is the predeclared one, and for nothing else.
func panicsOf(files []*file) flow {
	if !declared(files, "panic") {
		return flow{}
	}
	if topNames(files)["panic"] {
		return flow{ownPanic: true}
	}
	others := map[token.Pos]bool{}
	for _, f := range files {
		fset := token.NewFileSet()
		resolved, err := parser.ParseFile(fset, f.Name, f.Text, 0) // again, as what names mean is rarely asked
		if err != nil {
			return flow{ownPanic: true}
		}
		from := fset.File(resolved.FileStart)
		ast.Inspect(resolved, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok && name.Name == "panic" && name.Obj != nil {
				others[f.tok.Pos(from.Offset(name.Pos()))] = true
			}
			return true
		})
		for _, spec := range f.ast.Imports {
			if spec.Name != nil && spec.Name.Name == "panic" {
				return flow{ownPanic: true}
			}
		}
	}
	return flow{notPanic: others}
}

// topNames are the names that files declare outside of functions.
func topNames(files []*file) map[string]bool {
	names := map[string]bool{}
	for _, f := range files {
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

// predeclared says whether a predeclared name means in the function what it does elsewhere: neither the unit nor the
// declaration that the function is, or is in, has something of that name.
func (fn *function) predeclared(name string) bool {
	if fn.file.top[name] {
		return false
	}
	at := fn.typ.Pos()
	for _, d := range fn.file.ast.Decls {
		if d.Pos() > at || at >= d.End() {
			continue
		}
		for declared := range declarations(d, true) {
			if declared == name {
				return false
			}
		}
	}
	return true
}
