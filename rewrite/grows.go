package rewrite

import (
	"bytes"
	"go/ast"
	"go/token"
)

// growsOnce names a slice that is a parameter or a result of the function and that the compiler may let grow on the stack: it does so if
// the slice is appended to more than once, or in a loop, and given away in one place, most often the only return (package slice of
// cmd/compile/internal, from Go 1.26 on). A second body would be a second place, and what grows on the heap is allocated several times, as
// testing.AllocsPerRun tells. Variables of the body are two in two bodies. Syntax alone decides, so there may be a name where
// the compiler does not; "" there is none.
func (fn *function) growsOnce() string {
	var slices []*growing
	add := func(list *ast.FieldList, result bool) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				if mayBeSlice(field.Type) && name.Name != "_" {
					slices = append(slices, &growing{name: name.Name, result: result})
				}
			}
		}
	}
	if fn.decl != nil {
		add(fn.decl.Recv, false)
	}
	add(fn.typ.Params, false)
	add(fn.typ.Results, true)
	text := fn.file.Text[fn.file.offset(fn.body.Lbrace):fn.file.offset(fn.body.Rbrace)]
	for _, s := range slices {
		if !bytes.Contains(text, []byte("append")) {
			continue
		}
		if s.list(fn.body); s.gone == 1 && s.weight >= 2 {
			return s.name
		}
	}
	return ""
}

// mayBeSlice says whether a parameter's type may be a slice: a name may stand for one.
func mayBeSlice(t ast.Expr) bool {
	switch t := ast.Unparen(t).(type) {
	case *ast.ArrayType:
		return t.Len == nil
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		return true
	}
	return false
}

// A growing slice is followed through a body.
type growing struct {
	name   string
	result bool // a return without values returns it
	loops  int  // that the statement is in
	weight int  // of the statements that append to it: each weighs one more for each loop it is in
	gone   int  // places where it is given away: one in a loop is many
}

func (s *growing) is(x ast.Expr) bool {
	name, ok := ast.Unparen(x).(*ast.Ident)
	return ok && name.Name == s.name
}

func (s *growing) give() {
	if s.gone++; s.loops > 0 {
		s.gone++
	}
}

// list follows it through a statement. What is in function literals is not looked at: who uses it there shares it.
func (s *growing) list(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt:
			s.loop(n.Init, n.Post, n.Body)
			return false
		case *ast.RangeStmt:
			s.loop(n.Body)
			return false
		case *ast.ReturnStmt:
			if len(n.Results) == 0 && s.result {
				s.give()
			}
			for _, x := range n.Results {
				if s.is(x) {
					s.give()
				}
			}
		case *ast.AssignStmt:
			if len(n.Lhs) != len(n.Rhs) || n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				break
			}
			for i, x := range n.Rhs {
				if s.is(x) {
					s.give()
				} else if call, ok := x.(*ast.CallExpr); ok && s.is(n.Lhs[i]) && len(call.Args) > 0 && s.is(call.Args[0]) {
					if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "append" {
						s.weight += 1 + s.loops
					}
				}
			}
		}
		return true
	})
}

func (s *growing) loop(parts ...ast.Stmt) {
	s.loops++
	for _, part := range parts {
		if part != nil {
			s.list(part)
		}
	}
	s.loops--
}
