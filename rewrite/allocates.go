package rewrite

import "go/ast"

// What a function allocates and returns can be on its caller's stack if the compiler inlines the
// function and sees that the value does not escape:
//
//	func newT(n int) *T { return &T{n} }
//
//	newT(1).use() // inlined: no allocation; not inlined: one
//
// So a marker may keep a function from being inlined only if the function does not allocate.

// allocating are the predeclared names whose call may allocate.
var allocating = set("append", "make", "new", "string")

// allocates reports whether something may be on the heap only if the function is not inlined: a
// result that is not a number or boolean; an argument of a call of a parameter, or of a method of
// one; or the result of make, whose size is constant in the caller. It errs towards true.
func (fn *function) allocates() bool {
	if fn.results() {
		for _, field := range fn.typ.Results.List {
			if !scalar(field.Type) {
				return true
			}
		}
	}
	return len(fn.given) > 0 || fn.contains(func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return false
		}
		name, ok := ast.Unparen(call.Fun).(*ast.Ident)
		return ok && name.Name == "make"
	})
}
