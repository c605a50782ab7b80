package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// instantiates says whether the function can have a second instance of its own:
// one that is called with the function's parameters in its place.
func (fn *function) instantiates() bool {
	d := fn.decl
	if d == nil || fn.literals > 0 || fn.types || fn.file.cgo || fn.file.lineDirs || fn.defers > 0 || fn.pragma {
		return false
	}
	if d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "main" || d.Name.Name == "_") {
		return false
	}
	for _, list := range []*ast.FieldList{d.Recv, fn.typ.TypeParams, fn.typ.Params, fn.typ.Results} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			if f := fn.file; f.position(field.Type.Pos()).Line != f.position(field.Type.End()).Line {
				return false // a type over several lines would move what follows
			}
		}
	}
	for _, x := range fn.typeParams() {
		if name, ok := x.(*ast.Ident); !ok || name.Name == "_" {
			return false
		}
	}
	for _, s := range fn.growing() {
		if !s.local { // to call the second function would give it away
			return false
		}
	}
	recovers := false
	ast.Inspect(fn.body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		recovers = recovers || ok && isRecover(call) // it has to be the deferred function that calls it
		return !recovers
	})
	return !recovers
}

// typeParams are the names of the type parameters of a function that is not a
// method.
func (fn *function) typeParams() (list []ast.Expr) {
	if fn.typ.TypeParams == nil {
		return nil
	}
	for _, field := range fn.typ.TypeParams.List {
		for _, name := range field.Names {
			list = append(list, name)
		}
	}
	return list
}

// framed says whether the scopes of the marked copy can be variables of its own: nothing leaves it but a
// return, and nothing jumps into a scope that has not begun.
func (fn *function) framed() bool { return len(fn.labels) == 0 && !fn.panics() }

// panics says whether anything in the body might call or panic, as far as its
// syntax shows.
func (fn *function) panics() bool { return fn.panicsBut(func(*ast.CallExpr) bool { return false }) }

// panicsBut is panics of all but some calls, and what they are given.
func (fn *function) panicsBut(but func(*ast.CallExpr) bool) bool {
	found := false
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if but(n) {
				break
			}
			name, ok := ast.Unparen(n.Fun).(*ast.Ident)
			found = found || !ok || name.Name != "len" && name.Name != "cap" && name.Name != "min" && name.Name != "max" && !scalarNames[name.Name] || !fn.predeclared(name.Name)
		case *ast.IndexExpr, *ast.SliceExpr, *ast.SelectorExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.SendStmt, *ast.SelectStmt,
			*ast.GoStmt, *ast.DeferStmt, *ast.TypeSwitchStmt, *ast.CompositeLit, *ast.FuncLit:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.RangeStmt:
			switch n.X.(type) {
			case *ast.BasicLit:
			case *ast.Ident:
				found = found || !fn.rangesSafely(n.X)
			default:
				found = true
			}
		case *ast.BinaryExpr:
			found = found || mayPanic(n.Op, n.Y)
		case *ast.SwitchStmt: // compares as == does
			if n.Tag == nil || fn.isBasic(n.Tag) {
				break
			}
			for _, c := range n.Body.List {
				for _, x := range c.(*ast.CaseClause).List {
					found = found || mayPanic(token.EQL, x)
				}
			}
		case *ast.AssignStmt:
			switch n.Tok {
			case token.QUO_ASSIGN, token.REM_ASSIGN, token.SHL_ASSIGN, token.SHR_ASSIGN:
				found = found || !nonzero(n.Rhs[0])
			}
		}
		return !found
	})
	return found
}

// alone says whether the function calls itself and nothing else, and cannot panic, as far as its syntax shows: nothing
// that it calls can look at its frame.
func (fn *function) alone() bool {
	if fn.decl == nil || fn.decl.Recv != nil {
		return false
	}
	own, declared, calls := fn.decl.Name.Name, 0, false
	for name := range declarations(fn.decl, true) {
		if name == own {
			declared++
		}
	}
	panics := fn.panicsBut(func(call *ast.CallExpr) bool {
		name, ok := ast.Unparen(call.Fun).(*ast.Ident)
		itself := ok && name.Name == own
		calls = calls || itself
		return itself
	})
	return declared == 1 && calls && !panics
}

// mayPanic says whether an operator may: on division by 0, on a negative shift, on
// interfaces that hold what cannot be compared.
func mayPanic(op token.Token, y ast.Expr) bool {
	switch op {
	case token.QUO, token.REM, token.SHL, token.SHR:
		return !nonzero(y)
	case token.EQL, token.NEQ:
		name, _ := ast.Unparen(y).(*ast.Ident)
		_, literal := ast.Unparen(y).(*ast.BasicLit)
		return !literal && (name == nil || name.Name != "nil" && name.Name != "true" && name.Name != "false")
	}
	return false
}

// nonzero says whether an operand is a literal other than 0.
func nonzero(x ast.Expr) bool {
	l, ok := ast.Unparen(x).(*ast.BasicLit)
	return ok && strings.Trim(l.Value, "0xXbBoO_.") != ""
}

// instance plants the test that calls the marked instance, and behind the
// function the instance. Lines of the copy are those of the original.
func (w *overlayWriter) instance(e *edits, fn *function, start, end int) {
	f, d := fn.file, fn.decl
	copied, scopes := &edits{text: e.text, file: f}, ""
	var own []string // the names of the instance's results, nil: those they have
	if fn.explicit {
		how := passed
		if fn.framed() {
			how, scopes = framed, w.entered(fn)
		}
		if w.open(copied, fn, start, end, how) {
			own = w.resultNames(fn)
		}
	} else {
		w.marked(copied, fn, start, "")
		scopes = w.deferred(fn)
	}
	w.wrapRecovers(copied, f, fn.body)
	name := w.prefix + "of_" + d.Name.Name // no name that a function can have is one of ours

	call := name
	if names := fn.typeParams(); len(names) > 0 {
		var list []string
		for _, x := range names {
			list = append(list, x.(*ast.Ident).Name)
		}
		call += "[" + strings.Join(list, ", ") + "]"
	}
	receiver := ""
	if d.Recv != nil {
		list := w.nameParams(e, f, d.Recv, "v")
		call = list[0] + "." + call
		receiver = "(" + w.fields(f, d.Recv, list) + ") "
	}
	params := w.nameParams(e, f, fn.typ.Params, "p")
	call += "(" + strings.Join(params, ", ")
	if n := len(fn.typ.Params.List); n > 0 {
		if _, ok := fn.typ.Params.List[n-1].Type.(*ast.Ellipsis); ok {
			call += "..."
		}
	}
	call += ")"
	value := ""  // what the instance of a function without results returns
	setter := "" // assigns the instance's result
	switch {
	case !fn.results() && w.u.inline:
		value = "(" + w.prefix + "n " + w.perf + ".Nothing) "
		call = w.nothing + "[0] = " + call + "; return"
	case !fn.results():
		call += "; return"
	case w.u.inline && fn.oneUnnamedResult() && fn.cost <= openBudget: // a call in its return would be too much for the compiler to inline it
		names := w.resultNames(fn)
		w.nameResults(e, fn, names)
		set := w.perf + ".Set"
		if !fn.generic() { // the file may be in a language without generics
			receiver, method, _ := strings.Cut(MethodKey(d), ".") // the length tells (T) sum from T_sum
			set = fmt.Sprintf("%sset%d_%s_%s", w.prefix, len(receiver), receiver, method)
			list := fn.typ.Results.List[0]
			typ := string(f.Text[f.offset(list.Type.Pos()):f.offset(list.Type.End())])
			setter = fmt.Sprintf("; func %s(p *%s, v %s) (n %s.Nothing) { *p = v; return }", set, typ, typ, w.perf)
		}
		call = w.nothing + "[0] = " + set + "(&" + names[0] + ", " + call + "); return " + names[0]
	default:
		call = "return " + call
	}
	before, behind := " if "+w.opens(fn)+" {", "}"
	if fn.lengthens() && fn.cost > openBudget { // else it is brief, and where it is inlined there is no room for more
		before, behind = w.chooses(fn)
	}
	e.insert(start, before+" "+call+" "+behind+";")
	w.counts(e, fn, start)

	typeParams, results := "", value
	if list := fn.typ.TypeParams; list != nil {
		typeParams = "[" + w.fields(f, list, nil) + "]"
	}
	if fn.results() {
		results = "(" + w.fields(f, fn.typ.Results, own) + ") "
	}
	to := f.position(fn.body.Rbrace)
	e.insert(end+1, fmt.Sprintf("; func %s%s%s(%s) %s{%s%s%s%s} /*line :%d:%d*/",
		receiver, name, typeParams, w.fields(f, fn.typ.Params, params), results, scopes,
		lineAt(f, start), copied.apply(start, end), map[bool]string{true: "; return "}[value != ""], to.Line, to.Column+1)+setter)
}

// generic says whether the function has type parameters, its own or its receiver's.
func (fn *function) generic() bool {
	if fn.typ.TypeParams != nil {
		return true
	}
	if fn.decl.Recv == nil {
		return false
	}
	found := false
	ast.Inspect(fn.decl.Recv, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.IndexExpr, *ast.IndexListExpr:
			found = true
		}
		return !found
	})
	return found
}

// oneUnnamedResult says whether the function has one result, without a name.
func (fn *function) oneUnnamedResult() bool {
	list := fn.typ.Results.List
	return len(list) == 1 && len(list[0].Names) == 0
}

// nameParams gives names to parameters without one and returns all names, those
// of one field together.
func (w *overlayWriter) nameParams(e *edits, f *file, list *ast.FieldList, letter string) (names []string) {
	for _, field := range list.List {
		if len(field.Names) == 0 {
			name := fmt.Sprintf("%s%s%d", w.prefix, letter, len(names))
			names = append(names, name)
			e.insert(f.offset(field.Type.Pos()), name+" ")
		}
		for _, n := range field.Names {
			name := n.Name
			if name == "_" {
				name = fmt.Sprintf("%s%s%d", w.prefix, letter, len(names))
				e.replace(f.offset(n.Pos()), f.offset(n.End()), name)
			}
			names = append(names, name)
		}
	}
	return names
}

// fields writes the fields of a list on one line, with the names given, or if
// there are none with their own.
func (w *overlayWriter) fields(f *file, list *ast.FieldList, names []string) string {
	var parts []string
	for _, field := range list.List {
		typ := string(f.Text[f.offset(field.Type.Pos()):f.offset(field.Type.End())])
		own := field.Names
		if names == nil && len(own) == 0 {
			parts = append(parts, typ)
		}
		for i := range max(len(own), min(len(names), 1)) {
			if names == nil {
				parts = append(parts, own[i].Name+" "+typ)
				continue
			}
			parts = append(parts, names[0]+" "+typ)
			names = names[1:]
		}
	}
	return strings.Join(parts, ", ")
}

// rangesSafely says whether a loop over what has a name goes over a parameter that, by its type, can neither call nor wait,
// as a function and a channel do, nor be a nil pointer to an array, nor be told that it changes meanwhile, as a map.
func (fn *function) rangesSafely(x ast.Expr) bool {
	switch fn.parameterType(x).(type) {
	case *ast.ArrayType, *ast.Ellipsis:
		return true
	}
	return fn.isBasic(x)
}

// isBasic says whether an expression is a parameter that is a number, a boolean or a string.
func (fn *function) isBasic(x ast.Expr) bool {
	t, ok := fn.parameterType(x).(*ast.Ident)
	return ok && (t.Name == "string" || scalarNames[t.Name]) && fn.predeclared(t.Name)
}

// parameterType is the type of the parameter that an expression is, nil if it is none, or if something in the body has
// its name.
func (fn *function) parameterType(x ast.Expr) ast.Expr {
	name, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return nil
	}
	for _, field := range fn.typ.Params.List {
		for _, param := range field.Names {
			if param.Name != name.Name {
				continue
			}
			for declared := range declarations(fn.body, false) {
				if declared == name.Name {
					return nil
				}
			}
			return field.Type
		}
	}
	return nil
}
