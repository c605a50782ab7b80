package rewrite

import "go/ast"

// What a function returns is on the stack of its caller where the compiler inlines it and sees that it goes no further. So
// whether a function may be kept from being inlined depends on what it allocates.

// allocating are the predeclared names whose call may allocate.
var allocating = set("append", "make", "new", "string")

// allocates reports whether something may be on the heap only if the function is not inlined: what it returns, unless these are
// numbers and booleans; what it gives to a function or to a method of an interface that it gets; and what it makes, of a size that
// its caller knows. It may say yes where that is not so.
func (fn *function) allocates() bool {
	if fn.results() {
		for _, field := range fn.typ.Results.List {
			if !scalar(field.Type) {
				return true
			}
		}
	}
	return len(fn.given) > 0 || fn.callsMake()
}

func (fn *function) callsMake() bool {
	found := false
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			name, ok := ast.Unparen(call.Fun).(*ast.Ident)
			found = found || ok && name.Name == "make"
		}
		return !found
	})
	return found
}
