package rewrite

import (
	"go/ast"
	"go/token"
)

// sharesHeap reports whether the compiler may put a parameter or a result of the function and a
// local variable into one heap allocation. It does so with small variables without pointers that
// escape next to each other, with no branch in between (maxAggregatedHeapAllocation in
// cmd/compile/internal/ssagen/ssa.go):
//
//	func f(n int) func() { i := 0; return func() { i++; n += i } }               // n and i share an allocation
//	func f(n int) func() { if gate {…}; i := 0; return func() { i++; n += i } }  // one each
//
// testing.AllocsPerRun shows the difference, so nothing may be tested before the body of such a
// function. sharesHeap takes every function that uses a parameter or a result which may be so small
// in a function literal, in a loop over a function, or as the operand of &.
func (fn *function) sharesHeap() (found bool) {
	small := variablesOf(mayBeSmall, fn.receivers(), fn.typ.Params, fn.typ.Results)
	use := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			name, ok := n.(*ast.Ident)
			found = found || ok && small[name.Name]
			return !found
		})
	}
	if len(small) == 0 {
		return false
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			use(n.Body)
		case *ast.RangeStmt:
			if fn.mayBeFunc(n) {
				use(n.Body)
			}
		case *ast.UnaryExpr:
			if name, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND {
				use(name)
			}
		}
		return !found
	})
	return found
}

// mayBeSmall reports whether a type may be smaller than 16 bytes and without pointers.
func mayBeSmall(t ast.Expr) bool {
	switch t := ast.Unparen(t).(type) {
	case *ast.Ident:
		return t.Name != "string" && t.Name != "error" && t.Name != "any" && t.Name != "complex128"
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr, *ast.StructType:
		return true
	case *ast.ArrayType:
		return t.Len != nil && mayBeSmall(t.Elt)
	}
	return false
}

// mayBeFunc reports whether a loop may range over a function: a parameter, a literal or the result
// of a call.
func (fn *function) mayBeFunc(s *ast.RangeStmt) bool {
	switch x := ast.Unparen(s.X).(type) {
	case *ast.CallExpr:
		name, ok := ast.Unparen(x.Fun).(*ast.Ident)
		return !ok || !builtins[name.Name] && !scalarNames[name.Name]
	case *ast.FuncLit:
		return true
	}
	return fn.ranges(s)
}
