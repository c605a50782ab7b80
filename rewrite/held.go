package rewrite

import (
	"bytes"
	"fmt"
	"go/ast"
	"strings"
)

// A result that is a slice may start on the stack if it escapes at one place (see growing).
// Elsewhere (see function.opens), a return that computes its values inside a scope assigns them to
// the results and is followed by a return without values. That would be a second place where the
// slice escapes. So in a function with such a result, returns keep their values, and another slice
// for that result gets a variable of its own:
//
//	return nil, f()  →  err = f(); end; return nil, err
//	return g()       →  { var r0 []int; r0, err = g(); end; return r0, err }

// A held has the types of a function's results, as in the source, and, in aside, which results need
// a variable of their own. types is nil if no result may start on the stack, or if the types cannot
// be written in the body.
type held struct {
	types []string
	aside []bool
}

// held returns how returns of the function name the values that they return.
func (fn *function) held() (h held) {
	growing := map[int]bool{}
	for _, s := range fn.growing() {
		if s.result {
			growing[s.at] = true
		}
	}
	if len(growing) == 0 {
		return held{}
	}
	names, hidden := map[string]bool{}, false
	for _, field := range fn.typ.Results.List {
		typ := fn.written(field.Type)
		if typ == "" {
			return held{}
		}
		for _, name := range field.Names {
			names[name.Name] = true
			hidden = hidden || name.Name == "_"
			h.types = append(h.types, typ)
			h.aside = append(h.aside, growing[fn.file.offset(name.Pos())])
		}
	}
	var returns []*ast.ReturnStmt
	for _, w := range fn.ways {
		returns = append(returns, w.stmt)
	}
	if hidden || hidesAny(fn.body, names, returns) {
		for i := range h.aside {
			h.aside[i] = true
		}
	}
	return h
}

// written returns the source of a type if it can be written anywhere in the body: it is on one
// line, and the function redeclares none of its names. Otherwise it returns "".
func (fn *function) written(typ ast.Expr) string {
	names := map[string]bool{}
	ast.Inspect(typ, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			names[name.Name] = true
		}
		return true
	})
	scopes := []ast.Node{fn.typ.Params, fn.body}
	if fn.decl != nil && fn.decl.Recv != nil {
		scopes = append(scopes, fn.decl.Recv)
	}
	for _, scope := range scopes {
		for name := range declarations(scope, false) {
			if names[name] {
				return ""
			}
		}
	}
	for _, field := range fn.typ.Results.List {
		for _, name := range field.Names {
			if names[name.Name] {
				return ""
			}
		}
	}
	text := string(fn.file.Text[fn.file.offset(typ.Pos()):fn.file.offset(typ.End())])
	if strings.Contains(text, "\n") {
		return ""
	}
	return text
}

// hold plants the ends of scopes before a return of a function for which held returned h.
func (w *overlayWriter) hold(e *edits, fn *function, way way, h held, results []string) {
	f, values := fn.file, way.stmt.Results
	var vars strings.Builder
	var to, returned []string
	last := -1 // index of the last value computed before the return
	for i, name := range results {
		if len(values) == len(results) && h.stays(i, values[i], results) {
			returned = append(returned, string(f.Text[f.offset(values[i].Pos()):f.offset(values[i].End())]))
			continue
		}
		if h.aside[i] {
			name = fmt.Sprintf("%sr%d", w.prefix, i)
			fmt.Fprintf(&vars, "var %s %s; ", name, h.types[i])
		}
		to, returned = append(to, name), append(returned, name)
		last = min(i, len(values)-1)
	}
	cut := func(from, to int) {
		e.replace(from, to, strings.Repeat("\n", bytes.Count(f.Text[from:to], []byte("\n"))))
	}
	for i, x := range values[:last] {
		if len(values) == len(results) && h.stays(i, x, results) {
			cut(f.offset(x.Pos()), f.offset(values[i+1].Pos()))
		}
	}
	end := f.offset(way.stmt.End())
	if last < len(values)-1 {
		cut(f.offset(values[last].End()), end)
	}
	before, behind := "", ""
	if vars.Len() > 0 {
		before, behind = "{ "+vars.String(), " }"
	}
	at := f.offset(way.stmt.Pos())
	e.replace(at, at+len("return"), before+strings.Join(to, ", ")+" =")
	e.insert(end, ";"+w.shut(way.open)+" return "+strings.Join(returned, ", ")+behind)
}

// stays reports whether the value of a result stays in the return: it is a name, but not of another
// result, which may have been assigned to by then.
func (h held) stays(result int, x ast.Expr, results []string) bool {
	name, ok := x.(*ast.Ident)
	if !ok {
		return false
	}
	for i, of := range results {
		if i != result && of == name.Name && !h.aside[i] {
			return false
		}
	}
	return true
}
