package inplace

import (
	"go/ast"
	"go/token"
	"strings"
)

// shapes recognises the statements that Mark inserts, by the names that it uses in a file.
type shapes struct{ names }

type shape uint8

const (
	shapeNone   shape = iota
	shapeMark         // names a marker or the scopes
	shapePause        // perf.Pause()
	shapeResume       // perf.Resume()
	shapeFinish       // defer perf.Finish(), or an if perf.On with that
)

// insertedNames are the names of the runtime that only inserted statements use. Finish, Pause and
// Resume are also for users.
var insertedNames = map[string]bool{"On": true, "Scope": true, "Enter": true, "Close": true, "Pass": true, "Point": true}

// kind returns which inserted statement st is. The body of an if perf.On may be empty.
func (s shapes) kind(st ast.Stmt) shape {
	switch st := st.(type) {
	case *ast.IfStmt:
		if st.Init != nil || st.Else != nil || !s.selects(st.Cond, "On") {
			return shapeNone
		}
		whole := shapeMark
		for _, inner := range st.Body.List {
			switch s.kind(inner) {
			case shapeMark:
			case shapeFinish:
				whole = shapeFinish
			default:
				return shapeNone
			}
		}
		return whole
	case *ast.DeferStmt:
		if s.call(st.Call, "Close", s.isSlice) || s.exitsEntered(st.Call) {
			return shapeMark
		}
		if s.call(st.Call, "Finish", nil) {
			return shapeFinish
		}
	case *ast.DeclStmt:
		if s.declares(st.Decl) {
			return shapeMark
		}
	case *ast.AssignStmt:
		if s.labels(st) {
			return shapeMark
		}
	case *ast.ExprStmt:
		call, ok := st.X.(*ast.CallExpr)
		if !ok {
			return shapeNone
		}
		switch {
		case s.call(call, "Pause", nil):
			return shapePause
		case s.call(call, "Resume", nil):
			return shapeResume
		case s.call(call, "Close", s.isSlice), s.call(call, "Pass", s.isMarker), s.call(call, "Point", s.isMarker), s.onScope(call):
			return shapeMark
		}
	}
	return shapeNone
}

// selects reports whether x is perf.name, where perf is the import.
func (s shapes) selects(x ast.Expr, name string) bool {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Name == s.perf && id.Obj == nil
}

// call reports whether c is perf.name(x) and arg(x) is true, or perf.name() if arg is nil.
func (s shapes) call(c *ast.CallExpr, name string, arg func(ast.Expr) bool) bool {
	if !s.selects(c.Fun, name) || c.Ellipsis.IsValid() {
		return false
	}
	if arg == nil {
		return len(c.Args) == 0
	}
	return len(c.Args) == 1 && arg(c.Args[0])
}

// labels reports whether a statement is _ = perfs[i].Labels() && perf.Label(expression).
func (s shapes) labels(a *ast.AssignStmt) bool {
	if a.Tok != token.ASSIGN || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return false
	}
	id, ok := a.Lhs[0].(*ast.Ident)
	both, ok2 := a.Rhs[0].(*ast.BinaryExpr)
	if !ok || !ok2 || id.Name != "_" || both.Op != token.LAND {
		return false
	}
	asks, ok := both.X.(*ast.CallExpr)
	label, ok2 := both.Y.(*ast.CallExpr)
	return ok && ok2 && s.onScope(asks) && s.call(label, "Label", func(ast.Expr) bool { return true })
}

// exitsEntered reports whether a call is perf.Enter(&perfmarks.X).Exit().
func (s shapes) exitsEntered(c *ast.CallExpr) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Exit" || len(c.Args) != 0 {
		return false
	}
	enter, ok := sel.X.(*ast.CallExpr)
	return ok && s.call(enter, "Enter", s.isMarker)
}

// declares reports whether a declaration is var perfs [N]perf.Scope.
func (s shapes) declares(d ast.Decl) bool {
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR || len(g.Specs) != 1 {
		return false
	}
	v := g.Specs[0].(*ast.ValueSpec)
	if len(v.Names) != 1 || v.Names[0].Name != s.scopes || len(v.Values) != 0 {
		return false
	}
	t, ok := v.Type.(*ast.ArrayType)
	return ok && s.selects(t.Elt, "Scope")
}

// onScope reports whether a call is perfs[i].Enter(&perfmarks.X), perfs[i].Exit(), perfs[i].Labels()
// or perfs[i].Size(expression).
func (s shapes) onScope(c *ast.CallExpr) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.IndexExpr)
	if !ok || !s.isScopes(x.X) {
		return false
	}
	switch sel.Sel.Name {
	case "Enter":
		return len(c.Args) == 1 && s.isMarker(c.Args[0])
	case "Exit", "Labels":
		return len(c.Args) == 0
	case "Size":
		return len(c.Args) == 1
	}
	return false
}

func (s shapes) isScopes(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == s.scopes
}

// isSlice reports whether x is perfs[:] or perfs[i:j].
func (s shapes) isSlice(x ast.Expr) bool {
	sl, ok := x.(*ast.SliceExpr)
	return ok && s.isScopes(sl.X)
}

// isMarker reports whether x is &perfmarks.Name.
func (s shapes) isMarker(x ast.Expr) bool {
	u, ok := x.(*ast.UnaryExpr)
	if !ok || u.Op != token.AND {
		return false
	}
	sel, ok := u.X.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && s.isMarks(id.Name)
}

func (s shapes) isMarks(name string) bool {
	return strings.HasPrefix(name, s.marks) || strings.HasPrefix(name, s.testMarks)
}
