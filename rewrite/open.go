package rewrite

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// A returnSite is a return statement and the scopes that are open there.
type returnSite struct {
	stmt *ast.ReturnStmt
	open []*Point
}

// opens reports whether the scopes of the function can end explicitly before each
// return, and if not, why. Values that take time to compute are computed inside the
// scope: see overlayWriter.compute. The scope of point but, if not nil, ends in another way.
func (fn *function) opens(but *Point) (bool, string) {
	for _, p := range fn.points {
		if p.NeedsScope() && p != but {
			return false, "a size or label belongs to its scope"
		}
	}
	if !fn.results() || fn.assigns() {
		return true, ""
	}
	for _, w := range fn.returns {
		if w.without(but).captures() && slices.ContainsFunc(w.stmt.Results, func(x ast.Expr) bool { return !stays(x) && !hasType(x) }) {
			return false, "a return computes a value that has no type of its own"
		}
	}
	return true, ""
}

// assigns reports whether returns can assign to the results. They cannot if
//
//   - another variable hides a result;
//   - the function appends to a result: a return without values would be a second place where the
//     slice escapes, and it could not start on the stack;
//   - the result is a function, which the compiler would not know in the caller.
func (fn *function) assigns() bool {
	if fn.returnsFunc || fn.stackAppendTo(variablesIn(fn.typ.Results)) != "" {
		return false
	}
	return !hidesAny(fn.body, variablesIn(fn.typ.Results), fn.returns)
}

// without returns w without the function's own scope, if own is its point.
func (w returnSite) without(own *Point) returnSite {
	if own != nil && len(w.open) > 0 && w.open[0] == own {
		w.open = w.open[1:]
	}
	return w
}

// captures reports whether scopes are open and computing the returned values takes time.
func (w returnSite) captures() bool {
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

// instant reports whether an expression takes no time worth measuring: it calls
// nothing, waits for nothing, and allocates nothing but a function literal. A literal
// must stay in the return statement: assigned to a result first, the compiler would
// not know which function the caller calls, and would not inline it.
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
		case token.ADD, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			// Slow for strings; a literal operand is taken to be short.
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

// hidesAny reports whether one of the returns is in a block that shadows a result, so that the
// return could not assign to it. A := at the top level of the body assigns to the results, and
// function literals have no return of this function.
func hidesAny(body *ast.BlockStmt, results map[string]bool, returns []returnSite) bool {
	for _, s := range body.List {
		if _, ok := s.(*ast.AssignStmt); ok {
			continue
		}
		in := func(r returnSite) bool { return s.Pos() <= r.stmt.Pos() && r.stmt.Pos() < s.End() }
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

// stays reports whether a value can be computed at the return although the others are computed
// before: it is instant, and the compiler, too, computes it after calls in the same return. A
// function literal is not copied, since code is planted in it.
func stays(x ast.Expr) bool {
	is := instant(x)
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.SliceExpr:
			is = false
		case *ast.BinaryExpr:
			is = is && n.Op != token.LAND && n.Op != token.LOR
		}
		return is
	})
	return is
}

// hasType reports whether an expression is certainly no untyped one, so that a variable declared
// with it has its type. Comparisons are untyped, and so are operations with constants only.
func hasType(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.BasicLit: // may be a constant
		return false
	case *ast.ParenExpr:
		return hasType(x.X)
	case *ast.UnaryExpr:
		return x.Op == token.AND || x.Op == token.ARROW || hasType(x.X)
	case *ast.BinaryExpr:
		switch x.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return false
		case token.SHL, token.SHR:
			return hasType(x.X)
		}
		return hasType(x.X) || hasType(x.Y)
	case *ast.CallExpr:
		name, ok := ast.Unparen(x.Fun).(*ast.Ident)
		if ok && untyped[name.Name] {
			return slices.ContainsFunc(x.Args, hasType)
		}
	}
	return true
}

// untyped are the predeclared functions whose result is untyped if all arguments are.
var untyped = set("complex", "imag", "max", "min", "real")

// open plants the scopes of a function with explicit ends into e. passed reports whether the code
// runs only if the function's gate is open; else each call tests its own marker. named reports
// whether the results must be given the names of resultNames.
func (w *overlayWriter) open(e *edits, fn *function, start, end int, passed bool) (named bool) {
	w.passed = passed
	defer func() { w.passed = false }()
	var deferred *Point // its own point, whose scope ends after the deferred calls
	if p := fn.point; p != nil && !p.Count && fn.form == formGuarded && !fn.explicit {
		deferred = p
	}
	if p := fn.point; p != deferred {
		switch {
		case p.Count:
			e.insert(start, w.counted(p.counter))
		case w.noTestBefore:
			e.insert(start, w.uncharged("Begin(&%s)", w.marker(p.marker)))
		default:
			e.insert(start, w.opened(p))
		}
	}
	w.doubled(e, fn, w.opens(fn), func(e *edits) { named = w.explicit(e, fn, deferred) || named })
	if p := fn.point; fn.reachesEnd && p != deferred && !p.Count {
		e.insert(end, ";"+w.shut([]*Point{fn.point})+" ")
	}
	return named
}

// explicit plants the events and the ends of scopes before returns that are in the duplicated loop
// w.double, or, if that is nil, outside all duplicated loops. It does not open the function's own
// scope. The scope of deferred, if not nil, ends in another way.
func (w *overlayWriter) explicit(e *edits, fn *function, deferred *Point) (named bool) {
	f := fn.file
	for _, ev := range fn.events {
		if fn.double(ev.at) != w.double {
			continue
		}
		switch ev.op {
		case OpEnter:
			w.put(e, ev, w.opened(ev.point))
		case OpExit:
			w.put(e, ev, w.shut(w.planted(ev.ends)))
		case OpPoint:
			w.put(e, ev, w.point(ev.point))
		default:
			w.event(e, ev, "")
		}
	}
	assigns := fn.results() && fn.assigns()
	for _, site := range fn.returns {
		at := f.offset(site.stmt.Pos())
		if fn.double(at) != w.double {
			continue
		}
		site = site.without(deferred)
		if site.open = w.planted(site.open); len(site.open) == 0 {
			continue
		}
		switch {
		case !site.captures():
			e.insert(at, w.shut(site.open)+" ")
		case assigns:
			named = true
			e.replace(at, at+len("return"), strings.Join(w.resultNames(fn), ", ")+" =")
			e.insert(f.offset(site.stmt.End()), ";"+w.shut(site.open)+" return")
		default:
			w.compute(e, fn, site)
		}
	}
	return named
}

// compute plants the ends of scopes in a return whose values take time to compute, in a function
// whose returns cannot assign to its results (see assigns):
//
//	return n, f(x), nil  →  { r1 := f(x); end; return n, r1, nil }
//	return g(x)          →  { r0, r1 := g(x); end; return r0, r1 }
//
// Other functions assign to the results, which costs the inliner less:
//
//	return f(x)          →  r0 = f(x); end; return
func (w *overlayWriter) compute(e *edits, fn *function, site returnSite) {
	f, values := fn.file, site.stmt.Results
	var vars, returned []string
	last := 0 // index of the last value computed before the return
	for i := range max(len(values), fn.typ.Results.NumFields()) {
		if i < len(values) && stays(values[i]) {
			returned = append(returned, string(f.Text[f.offset(values[i].Pos()):f.offset(values[i].End())]))
			continue
		}
		name := fmt.Sprintf("%sr%d", w.prefix, i)
		vars, returned = append(vars, name), append(returned, name)
		last = min(i, len(values)-1)
	}
	cut := func(from, to int) {
		e.replace(from, to, strings.Repeat("\n", bytes.Count(f.Text[from:to], []byte("\n"))))
	}
	for i, x := range values[:last] {
		if stays(x) {
			cut(f.offset(x.Pos()), f.offset(values[i+1].Pos()))
		}
	}
	end := f.offset(site.stmt.End())
	if last < len(values)-1 {
		cut(f.offset(values[last].End()), end)
	}
	at := f.offset(site.stmt.Pos())
	e.replace(at, at+len("return"), "{ "+strings.Join(vars, ", ")+" :=")
	e.insert(end, ";"+w.shut(site.open)+" return "+strings.Join(returned, ", ")+" }")
}

// openNamed is open, and names the results in head, the edits with the function's signature, if
// needed.
func (w *overlayWriter) openNamed(e, head *edits, fn *function, start, end int, passed bool) {
	if w.open(e, fn, start, end, passed) {
		w.nameResults(head, fn, w.resultNames(fn))
	}
}

// tests reports whether the code for a point's scope tests its marker, since no gate was tested.
func (w *overlayWriter) tests(p *Point) bool { return !w.passed && !w.inDouble(p) }

func (w *overlayWriter) point(p *Point) string {
	switch {
	case w.inDouble(p) && !w.marks:
		return ""
	case w.tests(p):
		return w.uncharged("Mark(&%s)", w.marker(p.marker))
	}
	return fmt.Sprintf(" %s.Point(&%s);", w.perf, w.marker(p.marker))
}

func (w *overlayWriter) opened(p *Point) string {
	switch {
	case w.inDouble(p) && !w.marks:
		return ""
	case w.tests(p) && !w.u.inline:
		return w.uncharged("Open(&%s)", w.marker(p.marker))
	case w.tests(p) && p.Kind == KindFunc:
		return w.uncharged("OpenFunc(&%s, &%s, %d)", w.marker(p.marker), w.t, w.demoted(p))
	case w.tests(p):
		return w.uncharged("OpenTally(&%s, &%s, %d)", w.marker(p.marker), w.t, w.demoted(p))
	case w.u.inline:
		return fmt.Sprintf(" if %s.Timed(&%s, &%s, &%s, %d) { %[1]s.Begin(&%[2]s) };", w.perf, w.marker(p.marker), w.t, w.own, w.demoted(p))
	}
	return fmt.Sprintf(" %s.Begin(&%s);", w.perf, w.marker(p.marker))
}

// put inserts text at the position of an event, if it is not "".
func (w *overlayWriter) put(e *edits, ev event, text string) {
	if text == "" {
		return
	}
	if ev.tail {
		text = ";" + text
	}
	e.insert(ev.at, text+" ")
}

// shut returns the text that ends scopes, the innermost first.
func (w *overlayWriter) shut(points []*Point) string {
	var b strings.Builder
	for i := len(points) - 1; i >= 0; i-- {
		switch m := w.marker(points[i].marker); {
		case w.tests(points[i]) && i > 0: // the scope around it tests its marker, too
			i--
			b.WriteString(w.uncharged("ShutBoth(&%s, &%s)", m, w.marker(points[i].marker)))
		case w.tests(points[i]):
			b.WriteString(w.uncharged("Shut(&%s)", m))
		case w.u.inline:
			fmt.Fprintf(&b, " if %s.Ends(&%s) { %[1]s.End(&%[2]s) };", w.perf, m)
		default:
			fmt.Fprintf(&b, " %s.End(&%s);", w.perf, m)
		}
	}
	return b.String()
}

// resultNames returns the names of the function's results, with generated names for unnamed and
// blank ones.
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

// nameResults names the unnamed and blank results.
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

// wrapRecovers replaces each recover() in a node by perf.Recovered(recover()), which
// tells the runtime that a panic has ended. recover is still called by the deferred
// function itself, as it must be.
func (w *overlayWriter) wrapRecovers(e *edits, f *file, in ast.Node) {
	if !w.recovers {
		return
	}
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			return !isRecover(n.Call) // a directly deferred recover stops no panic
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
