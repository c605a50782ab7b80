package rewrite

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// growing are the variables of the function that may be slices the compiler lets begin on the stack, from Go 1.26 on: what is appended to
// one first, while nothing is in it, goes to an array in the frame. It does so with slices that are never on the heap (append and
// getBackingStoreInfo in cmd/compile/internal/ssagen/ssa.go), and with those that are appended to more than once, or in a loop, and given
// away in one place, most often the only return (package slice of cmd/compile/internal). The array is used where the source has the first append alone.
// A second copy of that would be without it, and a second copy of the return would be a second place: then what grows on the heap
// is allocated several times, as testing.AllocsPerRun tells. Syntax alone decides, so there may be some where the compiler has none.
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

// appended are the variables of the function that it appends single values to. Results are none where calls are deferred: what is in
// memory for those to see grows on the heap. Nor are those of a function around it.
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

// appendee is the variable that a call appends to, or nil.
func appendee(call *ast.CallExpr) *ast.Ident {
	if name, ok := ast.Unparen(call.Fun).(*ast.Ident); !ok || name.Name != "append" || len(call.Args) == 0 {
		return nil
	}
	name, _ := ast.Unparen(call.Args[0]).(*ast.Ident)
	return name
}

// A growing slice is followed through a body.
type growing struct {
	fn      *function
	name    string
	at      int              // where it is declared, as a byte offset
	local   bool             // that is in the body
	result  bool             // a return without values returns it
	heap    bool             // what is appended to it is surely on the heap
	room    int              // for how many it has room where it is declared, as far as syntax shows
	other   bool             // it may have less room later
	sized   bool             // it is made with room somewhere, for what is to be appended
	loops   int              // that the statement is in
	depth   int              // the loops it is declared in
	weight  int              // of the statements that append to it: each weighs one more for each loop it is in
	uses    int              // how often its name is there
	known   int              // of these, where the compiler knows that nobody else has the slice after that
	calls   int              // it is given to, outside of loops: inlined, the first statement of one gives it away
	gone    int              // places where it is given away: one in a loop is many
	ranges  []*ast.RangeStmt // of these, loops over it
	starts  []*ast.CallExpr  // what may append to it first
	started bool             // all of these are known
}

// grows reports whether it may begin on the stack.
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

// startsIn reports whether it may begin on the stack in a statement.
func (s *growing) startsIn(in ast.Stmt) bool {
	for _, call := range s.starts {
		if in.Pos() < call.Pos() && call.Pos() < in.End() {
			return true
		}
	}
	return false
}

// movedIn reports whether a statement holds a loop over it that moves it to the heap (gc.Release.RangeMoves).
// With a second copy of that there would be two, and the compiler would leave it on the stack:
//
//	for i := range n { list = append(list, i) }
//	for _, v := range list { … }
func (s *growing) movedIn(in ast.Stmt) bool {
	return slices.ContainsFunc(s.ranges, func(r *ast.RangeStmt) bool { return in.Pos() <= r.Pos() && r.End() <= in.End() })
}

// whyOnce says why what it begins in is there once.
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
	if s.gone++; s.loops > s.depth {
		s.gone++
	}
}

// follow follows it through a statement.
func (s *growing) follow(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if s.named(n) {
				s.uses++
			}
		case *ast.FuncLit: // it shares the slice, unless it is inlined
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
				s.known-- // others have it from then on
			}
			s.heap = s.heap || s.is(n.X) // it is in memory itself
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

// usesIn is how often its name is in a function literal.
func (s *growing) usesIn(body ast.Node) (uses int) {
	ast.Inspect(body, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok && s.named(name) {
			uses++
		}
		return true
	})
	return uses
}

// share takes note of a call that is deferred, or that a goroutine begins with: a literal that is called shares the slice, which is
// in memory.
func (s *growing) share(call *ast.CallExpr) {
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok && s.usesIn(lit.Body) > 0 {
		s.heap = true
	}
}

// call is a call that it may be given to. Of append there is more to know, see assign.
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

// declared is a declaration of variables, of which it may be one.
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

// begin is what it is where it is declared.
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

// made takes note of a call that makes it with room for as many as are to be appended, which the program works out.
func (s *growing) made(call *ast.CallExpr) {
	name, ok := call.Fun.(*ast.Ident)
	if !ok || name.Name != "make" || len(call.Args) != 3 {
		return
	}
	_, literal := call.Args[2].(*ast.BasicLit)
	s.sized = s.sized || !literal
}

// assign is an assignment of x to something.
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

// partOf reports whether x is the slice, is appended to it, or holds it.
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

// onHeap reports whether what is assigned to x is surely on the heap: it is an element, is behind a pointer, or belongs to the package or another.
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
