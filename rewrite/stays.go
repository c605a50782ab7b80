package rewrite

import (
	"bytes"
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

// stays reports whether the function is long-running: one of its loops with scopes or points
//
//   - has //perf:mark long, or the function has;
//   - sends, receives, or ranges over a channel, judging by names;
//   - calls anything, in a function that runs once: func main, or one that a go statement starts;
//   - calls anything, and has neither a condition nor a statement that leaves it.
func (fn *function) stays(u *Unit) bool {
	if fn.loops == 0 || !fn.file.explicit || !fn.holds(fn.body) {
		return false
	}
	if fn.point != nil && fn.point.Long {
		return true
	}
	in := u.lasting()
	once, found := in.once(fn), false
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
		if (e.op == opEnter || e.op == opPoint) && e.at > from && e.at <= to {
			return true
		}
	}
	return false
}

// once reports whether the function is func main, has the name of a function that a go statement
// starts, or is a literal in a go statement or an argument of a method Go (as of errgroup.Group).
func (in *lasting) once(fn *function) bool {
	if fn.decl != nil {
		name := fn.decl.Name.Name
		return fn.decl.Recv == nil && name == "main" || in.started[name]
	}
	before := bytes.TrimRight(fn.file.Text[:fn.file.offset(fn.lit.Pos())], " \t")
	return bytes.HasSuffix(before, []byte(".Go(")) || bytes.HasSuffix(before, []byte("go")) && !wordByte(before, len(before)-3)
}

// hasWayOut reports whether the body of a loop has a return, break or goto.
func hasWayOut(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = true
		case *ast.BranchStmt:
			found = found || n.Tok == token.BREAK || n.Tok == token.GOTO
		}
		return !found
	})
	return found
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

// lasting has the names in a unit by which long-running functions are recognised.
type lasting struct {
	channels map[string]bool // variables, parameters and fields that are channels, and functions that return one
	started  map[string]bool // functions and methods that go statements call
	types    map[string]bool // types that are declared as channels
}

// lasting returns the unit's names, computing them on the first call.
func (u *Unit) lasting() *lasting {
	if u.lasts != nil {
		return u.lasts
	}
	in := &lasting{map[string]bool{"C": true}, map[string]bool{}, map[string]bool{}} // C: the channel of a time.Ticker
	u.lasts = in
	u.typeSpecs(func(s *ast.TypeSpec) {
		if isChannel(s.Type) {
			in.types[s.Name.Name] = true
		}
	})
	for _, f := range u.files {
		if len(in.types) > 0 || bytes.Contains(f.Text, []byte("chan")) {
			ast.Inspect(f.ast, in.channel)
		}
		in.starts(f.Text)
	}
	return in
}

// starts adds the names of the functions that go statements in a text call.
func (in *lasting) starts(text []byte) {
	for word := []byte("go "); ; {
		i := bytes.Index(text, word)
		if i < 0 {
			return
		}
		before := bytes.TrimRight(text[:i], " \t")
		text = text[i+len(word):]
		if len(before) > 0 && bytes.IndexByte([]byte("\n{};:"), before[len(before)-1]) < 0 {
			continue
		}
		if end := bytes.IndexAny(text, "(\n"); end > 0 && text[end] == '(' {
			called := text[:end]
			if i := bytes.LastIndexByte(called, '['); i > 0 && called[end-1] == ']' { // type arguments
				called = called[:i]
			}
			if bytes.IndexByte(called, ' ') < 0 {
				in.started[string(called[bytes.LastIndexByte(called, '.')+1:])] = true
			}
		}
	}
}

// channel adds the names that a node declares as a channel, or to which it assigns a new one.
func (in *lasting) channel(n ast.Node) bool {
	add := func(name string, typ ast.Expr) {
		if name != "" && (isChannel(typ) || in.types[lastName(typ)]) {
			in.channels[name] = true
		}
	}
	made := func(name, x ast.Expr) {
		call, ok := ast.Unparen(x).(*ast.CallExpr)
		if ok && len(call.Args) > 0 && lastName(call.Fun) == "make" {
			add(lastName(name), call.Args[0])
		}
	}
	switch n := n.(type) {
	case *ast.Field:
		for _, name := range n.Names {
			add(name.Name, n.Type)
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if n.Type != nil {
				add(name.Name, n.Type)
			} else if i < len(n.Values) {
				made(name, n.Values[i])
			}
		}
	case *ast.AssignStmt:
		for i, x := range n.Rhs {
			made(n.Lhs[min(i, len(n.Lhs)-1)], x)
		}
	case *ast.KeyValueExpr:
		made(n.Key, n.Value)
	case *ast.FuncDecl:
		if list := n.Type.Results; list.NumFields() == 1 {
			add(n.Name.Name, list.List[0].Type)
		}
	}
	return true
}

func isChannel(t ast.Expr) bool {
	_, ok := ast.Unparen(t).(*ast.ChanType)
	return ok
}
