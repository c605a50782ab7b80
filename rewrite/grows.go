package rewrite

import (
	"bytes"
	"go/ast"
	"go/token"
)

// growing are the slices that are parameters or results of the function and that the compiler may let grow on the stack: it does so if a
// slice is appended to more than once, or in a loop, and given away in one place, most often the only return (package slice of
// cmd/compile/internal, from Go 1.26 on). A second body would be a second place, and what grows on the heap is allocated several times, as
// testing.AllocsPerRun tells. Variables of the body are two in two bodies. Syntax alone decides, so there may be some where
// the compiler has none.
func (fn *function) growing() (found []*growing) {
	text := fn.file.Text[fn.file.offset(fn.body.Lbrace):fn.file.offset(fn.body.Rbrace)]
	if !bytes.Contains(text, []byte("append")) {
		return nil
	}
	for _, s := range fn.slices() {
		if s.follow(fn.body); s.grows() {
			found = append(found, s)
		}
	}
	return found
}

// slices are the parameters and results that may be slices.
func (fn *function) slices() (slices []*growing) {
	var declared []string
	add := func(list *ast.FieldList, result bool) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				if mayBeSlice(field.Type) && name.Name != "_" {
					declared = append(declared, name.Name)
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
	if len(declared) == 0 {
		return nil
	}
	for name := range declarations(fn.body, true) {
		for i := range slices {
			slices[i].hidden = slices[i].hidden || declared[i] == name
		}
	}
	return slices
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
	result bool     // a return without values returns it
	hidden bool     // something in the body has its name, too
	loops  int      // that the statement is in
	weight int      // of the statements that append to it: each weighs one more for each loop it is in
	uses   int      // how often its name is there
	known  int      // of these, where the compiler knows that nobody else has the slice after that
	calls  int      // it is given to, outside of loops: inlined, the first statement of one gives it away
	gone   int      // places where it is given away: one in a loop is many
	first  ast.Node // what appends to it first
}

// grows says whether it may grow on the stack.
func (s *growing) grows() bool {
	return s.weight >= 2 && s.gone <= 1 && s.gone+s.calls >= 1 && (s.hidden || s.known == s.uses)
}

func (s *growing) is(x ast.Expr) bool {
	name, ok := ast.Unparen(x).(*ast.Ident)
	return ok && name.Name == s.name
}

// know takes note that the compiler knows what it is used for, if x is the slice.
func (s *growing) know(x ast.Expr) bool {
	if !s.is(x) {
		return false
	}
	s.known++
	return true
}

// give takes note that a statement gives it away, if x is the slice.
func (s *growing) give(x ast.Expr) {
	if s.know(x) {
		s.gives()
	}
}

func (s *growing) gives() {
	if s.gone++; s.loops > 0 {
		s.gone++
	}
}

// follow follows it through a statement.
func (s *growing) follow(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if n.Name == s.name {
				s.uses++
			}
		case *ast.FuncLit: // it shares the slice
			inside := growing{name: s.name}
			inside.follow(n.Body)
			s.uses += inside.uses
			return false
		case *ast.SelectorExpr:
			s.follow(n.X)
			return false
		case *ast.KeyValueExpr: // the key may be the name of a field
			s.follow(n.Value)
			return false
		case *ast.LabeledStmt:
			s.follow(n.Stmt)
			return false
		case *ast.BranchStmt:
			return false
		case *ast.ForStmt:
			s.loop(n.Init, n.Cond, n.Post, n.Body)
			return false
		case *ast.RangeStmt:
			s.know(n.X)
			s.follow(n.X)
			s.loop(n.Key, n.Value, n.Body)
			return false
		case *ast.IndexExpr:
			s.know(n.X)
		case *ast.UnaryExpr:
			if x, ok := ast.Unparen(n.X).(*ast.IndexExpr); ok && n.Op == token.AND && s.is(x.X) {
				s.known-- // others have it from then on
			}
		case *ast.CallExpr:
			s.call(n)
		case *ast.ReturnStmt:
			if len(n.Results) == 0 && s.result {
				s.gives()
			}
			for _, x := range n.Results {
				s.give(x)
			}
		case *ast.ValueSpec:
			for _, x := range n.Values {
				s.give(x)
			}
		case *ast.AssignStmt:
			if len(n.Lhs) != len(n.Rhs) || n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				break
			}
			for i, x := range n.Rhs {
				s.assign(n.Lhs[i], ast.Unparen(x))
			}
		}
		return true
	})
}

// call is a call that it may be given to. Of append there is more to know, see assign.
func (s *growing) call(n *ast.CallExpr) {
	name, _ := ast.Unparen(n.Fun).(*ast.Ident)
	if name != nil && builtins[name.Name] && name.Name != "len" && name.Name != "cap" {
		return
	}
	args := n.Args
	if method, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
		args = append(args[:len(args):len(args)], method.X)
	}
	for _, x := range args {
		if s.know(x) && s.loops == 0 && (name == nil || !builtins[name.Name]) {
			s.calls++
		}
	}
}

// assign is an assignment of x to something.
func (s *growing) assign(to, x ast.Expr) {
	s.give(x)
	if !s.is(to) {
		return
	}
	switch x := x.(type) {
	case *ast.Ident:
		if x.Name == "nil" {
			s.known++
		}
	case *ast.CompositeLit:
		s.known++
	case *ast.SliceExpr:
		if s.know(x.X) {
			s.known++
		}
	case *ast.CallExpr:
		if name, ok := x.Fun.(*ast.Ident); ok && name.Name == "append" && len(x.Args) > 0 && s.know(x.Args[0]) {
			s.known++
			s.weight += 1 + s.loops
			if s.first == nil {
				s.first = x
			}
		}
	}
}

func (s *growing) loop(parts ...ast.Node) {
	s.loops++
	for _, part := range parts {
		if part != nil {
			s.follow(part)
		}
	}
	s.loops--
}
