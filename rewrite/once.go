package rewrite

import "go/ast"

// once is the flag of the markers of a function that nothing but Go's runtime calls, and that once: i for an init function, which
// has no name, and m for func main where no file of the unit names it again. A package's tests, which are another unit, may: where
// it is built for these, it has no flag.
func (fn *function) once(u *Unit, tested bool) string {
	switch {
	case fn.decl == nil || fn.decl.Recv != nil:
	case fn.decl.Name.Name == "init":
		return "i"
	case fn.decl.Name.Name == "main" && !tested && u.Name == "main" && u.named("main") == 1:
		return "m"
	}
	return ""
}

// named is how often a name stands in the declarations of the unit, whatever it stands for.
func (u *Unit) named(name string) (n int) {
	for _, f := range u.files {
		for _, decl := range f.ast.Decls {
			ast.Inspect(decl, func(node ast.Node) bool {
				if id, ok := node.(*ast.Ident); ok && id.Name == name {
					n++
				}
				return true
			})
		}
	}
	return n
}
