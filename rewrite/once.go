package rewrite

import "go/ast"

// once returns the flag of a function that is called only by Go's runtime and so runs at most once:
// "i" for an init function, "m" for func main if no file of the unit mentions it again, else "". A
// package built for its tests has no "m", since they are another unit and may call main.
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

// named returns how often an identifier occurs in the declarations of the unit, whatever it means.
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
