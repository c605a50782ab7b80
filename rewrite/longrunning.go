package rewrite

import (
	"go/ast"
	"go/token"
	"slices"
)

// Most functions test at their start whether to run marked, and do not test again. A long-running
// function, such as
//
//	for req := range requests { serve(req) }
//
// may run as long as the program, while triggers, windows or another process turn markers on and
// off many times. Tested only once, its loop would never be recorded, or always. So each scope in
// the loop tests its marker, which costs little compared with what the loop waits for.

// isLongRunning reports whether the function is long-running: one of its loops with scopes or points
//
//   - has //perf:mark long, or the function has;
//   - sends, receives, selects, or ranges over a channel, judging by names;
//   - calls anything, in a function that runs once: func main, or one that a go statement starts;
//   - calls anything, and has neither a condition nor a statement that leaves it.
func (fn *function) isLongRunning(u *Unit) bool {
	if fn.loops == 0 || !fn.file.explicit || !fn.holds(fn.body) {
		return false
	}
	if fn.point != nil && fn.point.Long {
		return true
	}
	in := u.longRunning()
	once, found := in.runsOnce(fn), false
	ast.Inspect(fn.body, func(n ast.Node) bool {
		var body *ast.BlockStmt
		long := once
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt:
			body = n.Body
			long = long || n.Cond == nil && !hasWayOut(body)
		case *ast.RangeStmt:
			body = n.Body
			if n.Value == nil && in.channels[lastName(n.X)] {
				found = found || fn.holds(body)
			}
		}
		if body == nil || found {
			return !found
		}
		if fn.holds(body) {
			calls, waits := fn.meets(n)
			found = waits || long && calls || fn.marksLong(n)
		}
		return !found
	})
	return found
}

// inFuncLoop reports whether a loop with scopes in it may range over a function. If that function
// is not inlined, variables that hold these scopes would escape to the heap.
func (fn *function) inFuncLoop() bool {
	return outsideLiterals(fn.body, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		return ok && fn.mayBeFunc(loop) && fn.holds(loop.Body)
	})
}

// outsideLiterals reports whether is holds for a node that is not in a function literal.
func outsideLiterals(root ast.Node, is func(ast.Node) bool) (found bool) {
	ast.Inspect(root, func(n ast.Node) bool {
		if _, literal := n.(*ast.FuncLit); literal || n == nil || found {
			return false
		}
		found = is(n)
		return !found
	})
	return found
}

// marksLong reports whether the loop has //perf:mark long.
func (fn *function) marksLong(loop ast.Node) bool {
	line := fn.file.position(loop.Pos())
	return slices.ContainsFunc(fn.points, func(p *Point) bool { return p.Long && p.Pos == line })
}

// holds reports whether a block has scopes or points in it. The function's own scope does not
// count.
func (fn *function) holds(body *ast.BlockStmt) bool {
	from, to := fn.file.offset(body.Lbrace), fn.file.offset(body.Rbrace)
	for _, e := range fn.events {
		if (e.op == OpEnter || e.op == OpPoint) && e.at > from && e.at <= to {
			return true
		}
	}
	return false
}

// runsOnce reports whether the function is func main, has the name of a function that a go statement
// starts, or is a literal in a go statement or an argument of a method Go (as of errgroup.Group).
func (in *longRunning) runsOnce(fn *function) bool {
	if fn.lit != nil {
		return in.literals[fn.lit]
	}
	name := fn.decl.Name.Name
	return fn.decl.Recv == nil && name == "main" || in.started[name]
}

// hasWayOut reports whether the body of a loop has a return, break or goto.
func hasWayOut(body *ast.BlockStmt) bool {
	return outsideLiterals(body, func(n ast.Node) bool {
		_, returns := n.(*ast.ReturnStmt)
		jump, jumps := n.(*ast.BranchStmt)
		return returns || jumps && (jump.Tok == token.BREAK || jump.Tok == token.GOTO)
	})
}

// meets reports whether a loop, its header included, calls a function that is not predeclared, and
// whether it waits: it has a send, a receive or a select. What waits also counts as a call.
func (fn *function) meets(loop ast.Node) (calls, waits bool) {
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectStmt, *ast.SendStmt:
			waits = true
		case *ast.UnaryExpr:
			waits = waits || n.Op == token.ARROW
		case *ast.CallExpr:
			calls = calls || !isType(n.Fun) && !fn.callsPredeclared(n)
		}
		return !waits
	})
	return calls || waits, waits
}

// callsPredeclared reports whether a call is of a predeclared function, or a conversion to a
// number.
func (fn *function) callsPredeclared(call *ast.CallExpr) bool {
	name, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && (builtins[name.Name] || scalarNames[name.Name]) && fn.predeclared(name.Name)
}

// isType reports whether an expression can be nothing but a type.
func isType(x ast.Expr) bool {
	switch ast.Unparen(x).(type) {
	case *ast.ArrayType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.MapType, *ast.StarExpr, *ast.StructType:
		return true
	}
	return false
}

// lastName returns the name of a variable, a field, or the function of a call, "" for other
// expressions.
func lastName(x ast.Expr) string {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.IndexExpr:
		return lastName(x.X)
	case *ast.CallExpr:
		return lastName(x.Fun)
	}
	return ""
}

// A longRunning has what the long-running functions of a unit are recognised by.
type longRunning struct {
	channels map[string]bool       // names of parameters, fields and variables that are declared as channels
	started  map[string]bool       // names of functions and methods that go statements call
	literals map[*ast.FuncLit]bool // literals that go statements call, and arguments of methods Go
}

// longRunning returns the unit's longRunning. It computes it on the first call.
func (u *Unit) longRunning() *longRunning {
	if u.long == nil {
		u.long = &longRunning{map[string]bool{}, map[string]bool{}, map[*ast.FuncLit]bool{}}
		for _, f := range u.files {
			ast.Inspect(f.ast, u.long.add)
		}
	}
	return u.long
}

// add adds what a node declares as a channel, or starts.
func (in *longRunning) add(n ast.Node) bool {
	started := func(x ast.Expr) {
		if lit, ok := ast.Unparen(x).(*ast.FuncLit); ok {
			in.literals[lit] = true
		}
	}
	channels := func(names []*ast.Ident, t ast.Expr) {
		_, is := t.(*ast.ChanType)
		for _, name := range names {
			in.channels[name.Name] = in.channels[name.Name] || is
		}
	}
	switch n := n.(type) {
	case *ast.Field:
		channels(n.Names, n.Type)
	case *ast.ValueSpec:
		channels(n.Names, n.Type)
	case *ast.GoStmt:
		in.started[lastName(n.Call.Fun)] = true
		started(n.Call.Fun)
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Go" && len(n.Args) == 1 {
			started(n.Args[0])
		}
	}
	return true
}
