package rewrite

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// growing returns the slice variables whose first append Go 1.26+ may place in an array in the
// stack frame:
//
//	func f(n int) (list []int) {
//		for i := range n {
//			list = append(list, i) // starts on the stack
//		}
//		return list // moved to the heap: one allocation
//	}
//
// The compiler does so with slices that never escape (append and getBackingStoreInfo in
// cmd/compile/internal/ssagen/ssa.go), and with slices that are appended to more than once, or in a
// loop, and escape at one place, mostly the only return (cmd/compile/internal/slice). Only the
// first append in the source uses the array. In a twin, the second copy of the append would not,
// and the second copy of the return would be a second place: the slice would then grow on the heap,
// in several allocations, which testing.AllocsPerRun shows. growing judges by syntax and may return
// slices that the compiler does not treat so.
func (fn *function) growing() []*growing {
	if !fn.grown.known {
		fn.grown.known = true
		for _, s := range fn.appended() {
			if s.follow(fn.body); s.grows() {
				fn.grown.slices = append(fn.grown.slices, s)
			}
		}
	}
	return fn.grown.slices
}

// appended returns the function's variables to which it appends single values. It excludes results
// if the function defers calls, since such results grow on the heap, and variables of an enclosing
// function.
func (fn *function) appended() (slices []*growing) {
	f := fn.file
	if !bytes.Contains(f.Text[f.offset(fn.body.Lbrace):f.offset(fn.body.Rbrace)], []byte("append")) {
		return nil
	}
	from, to := f.offset(fn.body.Lbrace), f.offset(fn.body.Rbrace)
	if fn.decl != nil {
		from = f.offset(fn.decl.Pos())
	} else {
		from = f.offset(fn.lit.Pos())
	}
	seen := map[int]bool{}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			name := appendee(n)
			if name == nil || n.Ellipsis.IsValid() {
				break
			}
			at := f.declaredAt(name)
			if at < from || at >= to || seen[at] {
				break
			}
			seen[at] = true
			s := &growing{fn: fn, name: name.Name, at: at, local: at > f.offset(fn.body.Lbrace)}
			if list := fn.typ.Results; list != nil {
				s.result = at >= f.offset(list.Pos()) && at < f.offset(list.End())
			}
			if !s.result || fn.defers == 0 {
				slices = append(slices, s)
			}
		}
		return true
	})
	return slices
}

// appendee returns the variable to which a call appends, or nil.
func appendee(call *ast.CallExpr) *ast.Ident {
	if name, ok := ast.Unparen(call.Fun).(*ast.Ident); !ok || name.Name != "append" || len(call.Args) == 0 {
		return nil
	}
	name, _ := ast.Unparen(call.Args[0]).(*ast.Ident)
	return name
}

// A growing is a slice variable and what its function does with it.
type growing struct {
	fn      *function
	name    string
	at      int              // byte offset of its declaration
	local   bool             // it is declared in the body
	result  bool             // it is a named result
	heap    bool             // its backing array certainly escapes
	room    int              // capacity where it is declared, in elements, as far as syntax shows
	other   bool             // it may have a smaller capacity later
	sized   bool             // it is made somewhere with a computed capacity
	loops   int              // number of loops around the current statement
	depth   int              // number of loops around its declaration
	weight  int              // sum over the appends to it of 1 + the number of loops around the append
	uses    int              // number of uses of its name
	known   int              // number of uses after which the slice is certainly not aliased
	calls   int              // number of calls outside loops that it is passed to: inlined, a call may let it escape
	gone    int              // number of places where it escapes; a place in a loop counts twice
	ranges  []*ast.RangeStmt // those of these places that are loops over it
	starts  []*ast.CallExpr  // appends that may be its first
	started bool             // starts is complete
}

// grows reports whether the slice may start on the stack.
func (s *growing) grows() bool {
	starts := false
	for _, call := range s.starts {
		starts = starts || s.other || len(call.Args)-1 > s.room
	}
	if s.local && s.sized {
		return false
	}
	moved := s.weight >= 2 && s.gone <= 1 && s.gone+s.calls >= 1 && s.known == s.uses
	return starts && (moved || !s.result && !s.heap)
}

// startsIn reports whether a statement has an append that may start the slice on the stack.
func (s *growing) startsIn(in ast.Stmt) bool {
	for _, call := range s.starts {
		if in.Pos() < call.Pos() && call.Pos() < in.End() {
			return true
		}
	}
	return false
}

// movedIn reports whether a statement has a loop over the slice that moves it to the heap
// (gc.Release.RangeMoves). If that loop were duplicated, the slice would escape at two places, and
// the compiler would not move it:
//
//	for i := range n { list = append(list, i) }
//	for _, v := range list { … }
func (s *growing) movedIn(in ast.Stmt) bool {
	return slices.ContainsFunc(s.ranges, func(r *ast.RangeStmt) bool { return in.Pos() <= r.Pos() && r.End() <= in.End() })
}

// whyOnce returns the reason why the code in which the slice starts is not duplicated.
func (s *growing) whyOnce() string {
	return "a copy would keep " + s.name + " from growing on the stack"
}

func (s *growing) is(x ast.Expr) bool {
	name, ok := ast.Unparen(x).(*ast.Ident)
	return ok && s.named(name)
}

func (s *growing) named(name *ast.Ident) bool {
	return name.Name == s.name && s.fn.file.declaredAt(name) == s.at
}

// know counts a use after which the slice is not aliased, if x is the slice. It reports whether it
// is.
func (s *growing) know(x ast.Expr) bool {
	if !s.is(x) {
		return false
	}
	s.known++
	return true
}

// give counts a place where the slice escapes, if x is the slice.
func (s *growing) give(x ast.Expr) {
	if s.know(x) {
		s.gives()
	}
}

func (s *growing) gives() {
	if s.gone++; s.loops > s.depth {
		s.gone++
	}
}

// follow collects what a statement does with the slice.
func (s *growing) follow(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if s.named(n) {
				s.uses++
			}
		case *ast.FuncLit: // captures the slice, unless it is inlined
			s.uses += s.usesIn(n.Body)
			return false
		case *ast.DeferStmt:
			s.share(n.Call)
		case *ast.GoStmt:
			s.share(n.Call)
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
			if s.know(n.X) && s.fn.file.release.RangeMoves {
				s.gives()
				s.ranges = append(s.ranges, n)
			}
			s.follow(n.X)
			s.loop(n.Key, n.Value, n.Body)
			return false
		case *ast.IndexExpr:
			s.know(n.X)
		case *ast.UnaryExpr:
			if n.Op != token.AND {
				break
			}
			if x, ok := ast.Unparen(n.X).(*ast.IndexExpr); ok && s.is(x.X) {
				s.known-- // a pointer to an element aliases it
			}
			s.heap = s.heap || s.is(n.X) // the variable itself is in memory
		case *ast.CallExpr:
			s.call(n)
		case *ast.SendStmt:
			s.heap = s.heap || s.partOf(n.Value)
		case *ast.ReturnStmt:
			if len(n.Results) == 0 && s.result {
				s.gives()
			}
			for _, x := range n.Results {
				s.give(x)
				s.heap = s.heap || s.partOf(x)
			}
		case *ast.ValueSpec:
			s.declared(n)
		case *ast.AssignStmt:
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				break
			}
			for i, to := range n.Lhs {
				switch {
				case len(n.Lhs) == len(n.Rhs):
					s.assign(to, ast.Unparen(n.Rhs[i]))
				case s.is(to):
					s.other = true
				}
			}
		}
		return true
	})
}

// usesIn returns the number of uses of the slice in a function literal.
func (s *growing) usesIn(body ast.Node) (uses int) {
	ast.Inspect(body, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok && s.named(name) {
			uses++
		}
		return true
	})
	return uses
}

// share handles the call of a defer or go statement. If it calls a literal that uses the slice, the
// variable is captured and in memory.
func (s *growing) share(call *ast.CallExpr) {
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok && s.usesIn(lit.Body) > 0 {
		s.heap = true
	}
}

// call handles a call, to which the slice may be passed. For append see also assign.
func (s *growing) call(n *ast.CallExpr) {
	name, _ := ast.Unparen(n.Fun).(*ast.Ident)
	if name != nil && name.Name == "append" && len(n.Args) > 0 {
		if !n.Ellipsis.IsValid() {
			for _, x := range n.Args[1:] {
				s.heap = s.heap || s.partOf(x)
			}
		}
		if s.is(n.Args[0]) && !n.Ellipsis.IsValid() && !s.started {
			s.starts = append(s.starts, n)
		}
	}
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

// declared handles a declaration of variables; the slice may be one of them.
func (s *growing) declared(n *ast.ValueSpec) {
	for _, x := range n.Values {
		s.give(x)
	}
	for i, name := range n.Names {
		switch {
		case !s.named(name):
		case len(n.Values) == len(n.Names):
			s.begin(ast.Unparen(n.Values[i]))
		default:
			s.depth = s.loops
			s.other = true
			if len(n.Values) == 0 {
				s.known++
			}
		}
	}
}

// begin handles the initial value of the slice.
func (s *growing) begin(x ast.Expr) {
	s.depth = s.loops
	switch x := x.(type) {
	case *ast.Ident:
		if x.Name == "nil" {
			s.known++
		}
	case *ast.CompositeLit:
		s.known++
		s.room = len(x.Elts)
	case *ast.CallExpr:
		s.made(x)
		if name, ok := x.Fun.(*ast.Ident); ok && name.Name == "make" && len(x.Args) > 1 {
			if n, ok := x.Args[len(x.Args)-1].(*ast.BasicLit); ok {
				s.room, _ = strconv.Atoi(n.Value)
			}
		}
	}
}

// made handles a call of make: with a computed capacity, the program has sized the slice for what
// it is going to append.
func (s *growing) made(call *ast.CallExpr) {
	name, ok := call.Fun.(*ast.Ident)
	if !ok || name.Name != "make" || len(call.Args) != 3 {
		return
	}
	_, literal := call.Args[2].(*ast.BasicLit)
	s.sized = s.sized || !literal
}

// assign handles an assignment of x.
func (s *growing) assign(to, x ast.Expr) {
	s.give(x)
	if s.partOf(x) && s.fn.onHeap(to) {
		s.heap = true
	}
	if !s.is(to) {
		return
	}
	if s.fn.file.offset(to.Pos()) == s.at {
		s.begin(x)
		return
	}
	switch x := x.(type) {
	case *ast.Ident:
		s.other = true
		if x.Name == "nil" {
			s.known++
		}
	case *ast.CompositeLit:
		s.known++
		s.other = true
	case *ast.SliceExpr:
		if s.know(x.X) {
			s.known++
		}
		s.other = s.other || x.Low != nil || x.Max != nil || !s.is(x.X)
	case *ast.CallExpr:
		s.made(x)
		if name := appendee(x); name == nil || !s.know(name) {
			s.other = true
			break
		}
		s.known++
		s.weight += 1 + s.loops - s.depth
		if !x.Ellipsis.IsValid() && !s.started {
			s.starts, s.started = append(s.starts, x), true
		}
	default:
		s.other = true
	}
}

// partOf reports whether x is the slice, a slice of it, an append to it, or a composite literal
// with it.
func (s *growing) partOf(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return s.named(x)
	case *ast.SliceExpr:
		return s.partOf(x.X)
	case *ast.KeyValueExpr:
		return s.partOf(x.Value)
	case *ast.UnaryExpr:
		return x.Op == token.AND && isComposite(x.X) && s.partOf(x.X)
	case *ast.CompositeLit:
		for _, x := range x.Elts {
			if s.partOf(x) {
				return true
			}
		}
	case *ast.CallExpr:
		name := appendee(x)
		return name != nil && s.named(name)
	}
	return false
}

// onHeap reports whether a value assigned to x certainly escapes: x is an element, is reached
// through a pointer, or is a variable of a package.
func (fn *function) onHeap(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.StarExpr:
		return true
	case *ast.IndexExpr:
		return !fn.variables().isArray(x.X)
	}
	name := rootName(x)
	if name == nil || name.Name == "_" {
		return false
	}
	if fn.file.declaredAt(name) < 0 {
		return true
	}
	_, itself := ast.Unparen(x).(*ast.Ident)
	v := fn.variables()[name.Name]
	_, pointer := v.typ.(*ast.StarExpr)
	return pointer && !itself
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
