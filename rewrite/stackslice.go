package rewrite

import (
	"go/ast"
	"slices"
)

// stackAppends returns the first append to each variable that may be a slice which Go 1.26+ starts
// in the stack frame, by the variable's name. A slice does so if it escapes nowhere, or at one
// place, mostly a return (append in cmd/compile/internal/ssagen/ssa.go, and
// cmd/compile/internal/slice). Only the first append in the source uses the room in the frame:
//
//	func f(n int) (list []int) {
//		for i := range n {
//			list = append(list, i) // starts on the stack
//		}
//		return list // moved to the heap: one allocation
//	}
//
// With a second copy of that append, or of the place where it escapes, the slice would grow on the
// heap, in several allocations, which testing.AllocsPerRun shows. stackAppends takes every variable
// to which the function appends single values, unless two statements return it.
func (fn *function) stackAppends() map[string]*ast.CallExpr {
	if fn.appends != nil {
		return fn.appends
	}
	fn.appends = map[string]*ast.CallExpr{}
	fn.contains(func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !call.Ellipsis.IsValid() {
			if name := appendee(call); name != "" && fn.appends[name] == nil && !fn.returnsTwice(name) {
				fn.appends[name] = call
			}
		}
		return false
	})
	return fn.appends
}

// returnsTwice reports whether more than one statement returns a variable. Such a slice starts on the heap.
func (fn *function) returnsTwice(name string) bool {
	variable, n := map[string]bool{name: true}, 0
	for _, r := range fn.returns {
		is := func(x ast.Expr) bool { v, ok := x.(*ast.Ident); return ok && v.Name == name }
		if slices.ContainsFunc(r.stmt.Results, is) || r.stmt.Results == nil && variablesIn(fn.typ.Results)[name] {
			n++
		}
	}
	return n > 1 && !hidesAny(fn.body, variable, fn.returns)
}

// appendee returns the name of the variable to which a call appends, or "".
func appendee(call *ast.CallExpr) string {
	if name, ok := ast.Unparen(call.Fun).(*ast.Ident); !ok || name.Name != "append" || len(call.Args) == 0 {
		return ""
	}
	if name, ok := ast.Unparen(call.Args[0]).(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// stackAppendTo returns the first of the variables to which the function appends (see
// stackAppends), or "".
func (fn *function) stackAppendTo(variables map[string]bool) (first string) {
	for name, call := range fn.stackAppends() {
		if variables[name] && (first == "" || call.Pos() < fn.appends[first].Pos()) {
			first = name
		}
	}
	return first
}

// startsSlice reports whether a statement has a first append of stackAppends, or a loop over such a
// slice, which moves it to the heap in Go 1.27.
func (fn *function) startsSlice(in ast.Stmt) (found bool) {
	first := fn.stackAppends()
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := appendee(n)
			found = found || name != "" && first[name] == n
		case *ast.RangeStmt:
			name, ok := ast.Unparen(n.X).(*ast.Ident)
			found = found || ok && first[name.Name] != nil
		}
		return !found
	})
	return found
}

// variablesIn returns the names of the variables that lists of parameters or results declare.
func variablesIn(lists ...*ast.FieldList) map[string]bool {
	return variablesOf(func(ast.Expr) bool { return true }, lists...)
}

// variablesOf is variablesIn for variables with types for which is holds.
func variablesOf(is func(ast.Expr) bool, lists ...*ast.FieldList) map[string]bool {
	names := map[string]bool{}
	for _, list := range lists {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				if name.Name != "_" && is(field.Type) {
					names[name.Name] = true
				}
			}
		}
	}
	return names
}

// parameters returns the names of the receiver, the parameters and the results.
func (fn *function) parameters() map[string]bool {
	return variablesIn(fn.receivers(), fn.typ.Params, fn.typ.Results)
}

// receivers returns the list of the receiver, nil if there is none.
func (fn *function) receivers() *ast.FieldList {
	if fn.decl == nil {
		return nil
	}
	return fn.decl.Recv
}
