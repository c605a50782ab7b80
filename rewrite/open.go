package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// way is a return statement and the scopes that are open where it stands.
type way struct {
	stmt *ast.ReturnStmt
	open []*Point
}

// opens says whether the scopes of the function can end explicitly on every way
// out, and if not why. What returns values that calls compute does so inside the
// scope: the values go to the results first, for which these need names that
// nothing in the body hides. A function goes to a variable of its own (returned),
// that is set once: so the compiler knows which it is where it is called. The scope of
// one point may end in another way.
func (fn *function) opens(but *Point) (bool, string) {
	for _, p := range fn.points {
		if p.SizeExpr != "" && p != but {
			return false, "a size belongs to its scope"
		}
	}
	var capturing []*ast.ReturnStmt
	for _, w := range fn.ways {
		if w.without(but).captures() {
			capturing = append(capturing, w.stmt)
		}
	}
	if capturing == nil || !fn.results() || fn.returned != "" || fn.held().types != nil {
		return true, ""
	}
	names := map[string]bool{}
	for _, field := range fn.typ.Results.List {
		for _, name := range field.Names {
			names[name.Name] = true
		}
	}
	if hidesAny(fn.body, names, capturing) {
		return false, "a result is hidden by another variable of its name"
	}
	return true, ""
}

// without is the way without the function's own scope, if that is the point's.
func (w way) without(own *Point) way {
	if own != nil && len(w.open) > 0 && w.open[0] == own {
		w.open = w.open[1:]
	}
	return w
}

// captures says whether the statement computes its values in a way that takes
// time.
func (w way) captures() bool {
	if len(w.open) == 0 {
		return false
	}
	for _, x := range w.stmt.Results {
		if !instant(x) {
			return true
		}
	}
	return false
}

// instant says whether an expression is computed in a moment: it calls nothing,
// waits for nothing, and makes nothing but a function literal. That has to stay in
// the return: as a value that went to a result first, the compiler would not know
// which function it is where it is called, nor inline it there.
func instant(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident, *ast.BasicLit, *ast.FuncLit:
		return true
	case *ast.ParenExpr:
		return instant(x.X)
	case *ast.SelectorExpr:
		return instant(x.X)
	case *ast.StarExpr:
		return instant(x.X)
	case *ast.SliceExpr:
		return instant(x.X) && (x.Low == nil || instant(x.Low)) && (x.High == nil || instant(x.High)) && (x.Max == nil || instant(x.Max))
	case *ast.UnaryExpr:
		return x.Op != token.ARROW && instant(x.X)
	case *ast.BinaryExpr:
		if !instant(x.X) || !instant(x.Y) {
			return false
		}
		_, literal := ast.Unparen(x.Y).(*ast.BasicLit)
		switch x.Op {
		case token.ADD, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ: // of strings they take longer
			name, _ := ast.Unparen(x.Y).(*ast.Ident)
			return literal || name != nil && (name.Name == "nil" || name.Name == "true" || name.Name == "false")
		}
		return true
	case *ast.CallExpr:
		name, ok := ast.Unparen(x.Fun).(*ast.Ident)
		return ok && (name.Name == "len" || name.Name == "cap" || scalarNames[name.Name]) && len(x.Args) == 1 && instant(x.Args[0])
	}
	return false
}

// hidesAny says whether a block in a body declares one of the names of the function's results,
// which one of these returns in that block could not set. A := of the body itself sets them, and in
// function literals nothing returns from the function.
func hidesAny(body *ast.BlockStmt, results map[string]bool, returns []*ast.ReturnStmt) bool {
	for _, s := range body.List {
		if _, ok := s.(*ast.AssignStmt); ok {
			continue
		}
		in := func(r *ast.ReturnStmt) bool { return s.Pos() <= r.Pos() && r.Pos() < s.End() }
		if _, declares := s.(*ast.DeclStmt); !declares && !slices.ContainsFunc(returns, in) {
			continue
		}
		for name := range declarations(s, false) {
			if results[name] {
				return true
			}
		}
	}
	return false
}

// open plants the scopes of a function with explicit ends into e. gate says how it
// is known that the function's gate was open. If the results have to have the names
// of resultNames for it, named is true.
func (w *overlayWriter) open(e *edits, fn *function, start, end int, gate gate) (named bool) {
	w.passed = gate
	defer func() { w.passed = eachTests }()
	var deferred *Point // its own, which ends when what it defers has run
	if p := fn.point; p != nil && !p.Count && fn.form == formGuarded && !fn.explicit {
		deferred = p
	}
	if p := fn.point; p != deferred {
		switch {
		case p.Count:
			e.insert(start, w.counted(p.counter))
		case w.called:
			e.insert(start, w.free("Begin(&%s)", w.marker(p.marker)))
		case w.ownScope(fn, gate) == "": // else it has been opened
			e.insert(start, w.opened(p))
		}
	}
	test := w.opens(fn)
	if gate == variable {
		test = w.on
	}
	w.doubled(e, fn, test, func(e *edits) { named = w.explicit(e, fn, deferred) || named })
	if p := fn.point; fn.falls && p != deferred && !p.Count {
		e.insert(end, ";"+w.shut([]*Point{fn.point})+" ")
	}
	return named
}

// explicit plants the scopes that end on every way out, and all else that is in the loop that is being planted twice, or in
// none, but the function's own; deferred is a point whose scope ends in another way.
func (w *overlayWriter) explicit(e *edits, fn *function, deferred *Point) (named bool) {
	f := fn.file
	for _, ev := range fn.events {
		if fn.double(ev.at) != w.double {
			continue
		}
		switch ev.op {
		case opEnter:
			w.put(e, ev, w.opened(ev.point))
		case opExit:
			w.put(e, ev, w.shut(w.planted(ev.ends)))
		case opPoint:
			w.put(e, ev, w.point(ev.point))
		default:
			w.event(e, ev, "")
		}
	}
	results, held := w.resultNames(fn), fn.held()
	for _, way := range fn.ways {
		at := f.offset(way.stmt.Pos())
		if fn.double(at) != w.double {
			continue
		}
		way = way.without(deferred)
		if way.open = w.planted(way.open); len(way.open) == 0 {
			continue
		}
		if !way.captures() {
			e.insert(at, w.shut(way.open)+" ")
			continue
		}
		if typ := fn.returned; typ != "" {
			name := w.prefix + "r"
			e.replace(at, at+len("return"), "{ var "+name+" "+typ+" =")
			e.insert(f.offset(way.stmt.End()), ";"+w.shut(way.open)+" return "+name+" }")
			continue
		}
		if held.types != nil {
			w.hold(e, fn, way, held, results)
			continue
		}
		named = true
		e.replace(at, at+len("return"), strings.Join(results, ", ")+" =")
		e.insert(f.offset(way.stmt.End()), ";"+w.shut(way.open)+" return")
	}
	return named
}

// openNamed is open for a body that stays in its function, whose signature head has.
func (w *overlayWriter) openNamed(e, head *edits, fn *function, start, end int, gate gate) {
	if w.open(e, fn, start, end, gate) {
		w.nameResults(head, fn, w.resultNames(fn))
	}
}

// gate is how scopes with explicit ends know that their function's gate is open.
type gate uint8

const (
	eachTests gate = iota // each call tests its own marker
	variable              // a variable says so
	passed                // it has been passed
	framed                // it has been passed, and the scopes are variables of the function, which nothing leaves but a return
)

// behind puts what is planted behind the gate.
func (w *overlayWriter) behind(text string) string {
	if w.passed == variable && !w.marks {
		return w.guarded(text, w.on)
	}
	return text
}

func (w *overlayWriter) point(p *Point) string {
	switch {
	case w.inDouble(p) && !w.marks:
		return ""
	case w.passed == eachTests && !w.inDouble(p):
		return w.free("Mark(&%s)", w.marker(p.marker))
	}
	return w.behind(fmt.Sprintf(" %s.Point(&%s);", w.perf, w.marker(p.marker)))
}

func (w *overlayWriter) opened(p *Point) string {
	switch {
	case w.inDouble(p) && !w.marks:
		return ""
	case w.passed == eachTests && !w.inDouble(p):
		if w.tallied() {
			return w.free("OpenTally(&%s, %s)", w.marker(p.marker), w.tallyOf(p))
		}
		return w.free("Open(&%s)", w.marker(p.marker))
	case w.passed == framed:
		if w.tallied() {
			return fmt.Sprintf(" %s%d = %s.IntoTally(&%s, %s);", w.s, p.slot, w.perf, w.marker(p.marker), w.tallyOf(p))
		}
		return fmt.Sprintf(" %s%d = %s.Into(&%s);", w.s, p.slot, w.perf, w.marker(p.marker))
	case w.tallied():
		return w.behind(fmt.Sprintf(" if %s.Timed(&%s, %s) { %[1]s.Begin(&%[2]s) };", w.perf, w.marker(p.marker), w.tallyOf(p)))
	}
	return w.behind(fmt.Sprintf(" %s.Begin(&%s);", w.perf, w.marker(p.marker)))
}

// put plants the text of an event.
func (w *overlayWriter) put(e *edits, ev event, text string) {
	if text == "" {
		return
	}
	if ev.tail {
		text = ";" + text
	}
	e.insert(ev.at, text+" ")
}

// shut ends scopes, the last first.
func (w *overlayWriter) shut(points []*Point) string {
	if len(points) == 0 {
		return ""
	}
	var b strings.Builder
	for i := len(points) - 1; i >= 0; i-- {
		switch {
		case w.passed == eachTests && !w.inDouble(points[i]):
			b.WriteString(w.free("Shut(&%s)", w.marker(points[i].marker)))
		case w.passed == framed:
			fmt.Fprintf(&b, " %s%d.Exit();", w.s, points[i].slot)
		default:
			end := fmt.Sprintf(" %s.End(&%s);", w.perf, w.marker(points[i].marker))
			if w.tallied() {
				end = fmt.Sprintf(" if %s.Ends(&%s) {%s };", w.perf, w.marker(points[i].marker), end)
			}
			b.WriteString(end)
		}
	}
	return w.behind(b.String())
}

// resultNames are those of the function's results, or those they get.
func (w *overlayWriter) resultNames(fn *function) (names []string) {
	if !fn.results() {
		return nil
	}
	for _, field := range fn.typ.Results.List {
		for i := range max(len(field.Names), 1) {
			if i < len(field.Names) && field.Names[i].Name != "_" {
				names = append(names, field.Names[i].Name)
			} else {
				names = append(names, fmt.Sprintf("%sr%d", w.prefix, len(names)))
			}
		}
	}
	return names
}

// nameResults gives names to results that have none, or _.
func (w *overlayWriter) nameResults(e *edits, fn *function, names []string) {
	list, at := fn.typ.Results, 0
	for i, field := range list.List {
		for _, name := range field.Names {
			if name.Name == "_" {
				e.replace(fn.file.offset(name.Pos()), fn.file.offset(name.End()), names[at])
			}
			at++
		}
		if len(field.Names) > 0 {
			continue
		}
		name := names[i] + " "
		if list.Opening.IsValid() {
			e.insert(fn.file.offset(field.Type.Pos()), name)
			continue
		}
		e.insert(fn.file.offset(field.Type.Pos()), "("+name)
		e.insert(fn.file.offset(field.Type.End()), ")")
	}
}

// wrapRecovers has the runtime know when a panic ends: each recover() in a node
// becomes perf.Recovered(recover()). It is still the deferred function that calls
// it.
func (w *overlayWriter) wrapRecovers(e *edits, f *file, in ast.Node) {
	if !w.recovers {
		return
	}
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			return !isRecover(n.Call) // deferred itself it stops nothing
		case *ast.GoStmt:
			return !isRecover(n.Call)
		case *ast.CallExpr:
			if isRecover(n) {
				from, to := f.offset(n.Pos()), f.offset(n.End())
				e.replace(from, to, w.perf+".Recovered("+string(f.Text[from:to])+")")
			}
		}
		return true
	})
}

func isRecover(call *ast.CallExpr) bool {
	name, ok := call.Fun.(*ast.Ident)
	return ok && name.Name == "recover" && len(call.Args) == 0
}
