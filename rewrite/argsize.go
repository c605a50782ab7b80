package rewrite

import (
	"go/ast"
	"go/parser"
	"strings"
)

// An argumentSizer computes the size of a function's arguments: the sum of the lengths of its
// slices, strings and maps, the receiver and a variadic parameter included. If one of several is
// the input, it is usually the largest; if all are, as with two lists to merge, the function
// processes their sum.
//
// It has the types that the unit declares, by name. It does not know types of other packages, nor
// type parameters. Arrays, whose length is constant, and channels do not count.
type argumentSizer map[string]ast.Expr

// size returns the expression of the size, for the start of the function: "len(a)+len(b)". It
// returns "" if no argument has a length.
func (s argumentSizer) size(fn *function) string {
	if !fn.predeclared("len") || !fn.predeclared("int") {
		return ""
	}
	inputs := []*ast.FieldList{fn.typ.Params}
	if recv := fn.receivers(); recv != nil {
		inputs = []*ast.FieldList{recv, fn.typ.Params}
	}
	var terms []string
	depth := mostNested
	for _, list := range inputs {
		for _, field := range list.List {
			if !s.hasLength(field.Type, fn, depth) {
				continue
			}
			for _, name := range field.Names {
				if name.Name != "_" {
					terms = append(terms, "len("+name.Name+")")
				}
			}
		}
		if list != fn.typ.Params && strings.Contains(fn.file.normal(list.Pos(), list.End()), "[") {
			depth = 0 // the receiver's type parameters may have the names of types
		}
	}
	return strings.Join(terms, "+")
}

// mostNested is the maximum number of type declarations that hasLength follows.
const mostNested = 20

// hasLength reports whether len can be applied to a type.
func (s argumentSizer) hasLength(t ast.Expr, fn *function, depth int) bool {
	switch t := ast.Unparen(t).(type) {
	case *ast.ArrayType:
		return t.Len == nil
	case *ast.MapType, *ast.Ellipsis:
		return true
	case *ast.IndexExpr:
		return s.hasLength(t.X, fn, depth)
	case *ast.IndexListExpr:
		return s.hasLength(t.X, fn, depth)
	case *ast.Ident:
		if t.Name == "string" {
			return fn.predeclared("string")
		}
		// What the function declares may be a type parameter or a local type.
		return depth > 0 && !fn.declares(t.Name) && s[t.Name] != nil && s.hasLength(s[t.Name], fn, depth-1)
	}
	return false
}

// asString returns a string expression converted to string. Adding "" makes the compiler reject
// expressions of other types. at goes before what the compiler may reject: see file.errorsAt.
func asString(x, at string) string {
	if e, _ := parser.ParseExpr(x); e != nil {
		if _, ok := e.(*ast.BinaryExpr); ok {
			x = "(" + at + x + ")"
		}
	}
	return at + "string(" + at + x + ` + "")`
}

// asInt returns an integer expression converted to int. The shift by 0 makes the compiler reject
// expressions of other types. at is as for asString.
func asInt(x, at string) string {
	switch e, _ := parser.ParseExpr(x); e := e.(type) {
	case *ast.CallExpr:
		if name, ok := e.Fun.(*ast.Ident); ok && (name.Name == "len" || name.Name == "cap") {
			return at + x
		}
	case *ast.BinaryExpr:
		x = "(" + at + x + ")"
	}
	return at + "int(" + at + x + "<<0)"
}
