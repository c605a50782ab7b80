package rewrite

import (
	"bytes"
	"go/ast"
	"go/token"
)

// together reports whether the compiler may put a parameter or a result of the function and a local
// variable into one heap allocation. It does so with small variables without pointers that escape
// next to each other, with no branch in between (maxAggregatedHeapAllocation in
// cmd/compile/internal/ssagen/ssa.go):
//
//	func f(n int) func() { i := 0; return func() { i++; n += i } }               // n and i share an allocation
//	func f(n int) func() { if gate {…}; i := 0; return func() { i++; n += i } }  // one each
//
// testing.AllocsPerRun shows the difference, so nothing may be tested before the body of such a
// function. together judges by syntax and errs towards true.
func (fn *function) together() bool {
	small := map[string]bool{} // true for results, to which every return assigns
	add := func(list *ast.FieldList, results bool) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				if name.Name != "_" && mayBeSmall(field.Type) {
					small[name.Name] = results
				}
			}
		}
	}
	if fn.decl != nil {
		add(fn.decl.Recv, false)
	}
	add(fn.typ.Params, false)
	add(fn.typ.Results, true)
	if !fn.mayShare(small) {
		return false
	}
	shared := fn.shared()
	for name, result := range small {
		if set, ok := shared[name]; ok && (set || result) {
			return fn.declaresShared(shared)
		}
	}
	return false
}

// mayShare reports whether one of the names may be captured or have its address taken. It is fast,
// and false for most functions.
func (fn *function) mayShare(names map[string]bool) bool {
	if len(names) == 0 {
		return false
	}
	text := fn.file.Text[fn.file.offset(fn.body.Lbrace):fn.file.offset(fn.body.Rbrace)]
	if fn.literals > 0 || fn.loops > 0 && bytes.Contains(text, []byte("range ")) {
		return true
	}
	if bytes.IndexByte(text, '&') >= 0 {
		for name := range names {
			if bytes.Contains(text, []byte("&"+name)) {
				return true
			}
		}
	}
	return false
}

// shared returns the names that function literals and bodies of range-over-func loops use, and
// those whose address is taken. The value is true if the variable is also assigned to or its
// address is taken, so that it is captured by reference.
func (fn *function) shared() map[string]bool {
	names := map[string]bool{}
	use := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok && !names[name.Name] {
				names[name.Name] = false
			}
			return true
		})
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
				names[name.Name] = true
			}
		}
		return true
	})
	if len(names) == 0 {
		return nil
	}
	set := func(x ast.Expr) {
		if name, ok := ast.Unparen(x).(*ast.Ident); ok {
			if _, ok := names[name.Name]; ok {
				names[name.Name] = true
			}
		}
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, x := range n.Lhs {
					set(x)
				}
			}
		case *ast.IncDecStmt:
			set(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				set(n.Key)
				set(n.Value)
			}
		}
		return true
	})
	return names
}

// declaresShared reports whether the body declares, before its first branch, a variable that may
// escape to the heap: a local one, or the hidden state of a range-over-func loop.
func (fn *function) declaresShared(shared map[string]bool) bool {
	for _, s := range fn.body.List {
		switch s := s.(type) {
		case *ast.DeclStmt:
			d, ok := s.Decl.(*ast.GenDecl)
			if !ok || d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				v := spec.(*ast.ValueSpec)
				for _, name := range v.Names {
					if shared[name.Name] && (v.Type == nil || mayBeSmall(v.Type)) {
						return true
					}
				}
			}
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				continue
			}
			for _, x := range s.Lhs {
				if name, ok := x.(*ast.Ident); ok && shared[name.Name] {
					return true
				}
			}
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.EmptyStmt, *ast.DeferStmt, *ast.GoStmt:
		case *ast.RangeStmt:
			return fn.mayBeFunc(s)
		default:
			return false
		}
	}
	return false
}

// mayBeFunc reports whether a loop may range over a function: a parameter, a literal or the result
// of a call.
func (fn *function) mayBeFunc(s *ast.RangeStmt) bool {
	switch x := ast.Unparen(s.X).(type) {
	case *ast.Ident:
		return fn.given[x.Name]
	case *ast.CallExpr:
		name, ok := ast.Unparen(x.Fun).(*ast.Ident)
		return !ok || !builtins[name.Name] && !scalarNames[name.Name]
	case *ast.FuncLit:
		return true
	}
	return false
}

// shares reports whether a loop with scopes in it may range over a function. If that function is
// not inlined, variables that hold these scopes would escape to the heap.
func (fn *function) shares() (found bool) {
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.RangeStmt:
			found = found || fn.mayBeFunc(n) && fn.holds(n.Body)
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
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		return true
	case *ast.ArrayType:
		return t.Len != nil && mayBeSmall(t.Elt)
	case *ast.StructType:
		return true
	}
	return false
}
