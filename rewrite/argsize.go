package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// An argumentSizer computes the size of a function's arguments: the sum of the lengths of its
// slices, strings and maps, the receiver and a variadic parameter included. If one of several is
// the input, it is usually the largest; if all are, as with two lists to merge, the function
// processes their sum.
//
// It knows types by their syntax: type literals, types that the package declares, and type
// parameters with a constraint of these. It does not know types of other packages. Arrays, whose
// length is constant, and channels do not count.
type argumentSizer struct {
	types map[string]ast.Expr // declared by the unit's packages, by name
	names map[string]bool     // names that the unit declares at package level or imports
	u     *Unit
}

func newArgumentSizer(u *Unit) *argumentSizer {
	s := &argumentSizer{types: map[string]ast.Expr{}, names: u.topNames(), u: u}
	for _, f := range u.files {
		for _, imp := range f.ast.Imports {
			if imp.Name != nil {
				s.names[imp.Name.Name] = true
			} else if p, err := strconv.Unquote(imp.Path.Value); err == nil {
				s.names[path.Base(p)] = true
			}
		}
	}
	u.typeSpecs(func(spec *ast.TypeSpec) { s.types[spec.Name.Name] = spec.Type })
	return s
}

// size returns the expression of the size, for the start of the function: "len(a)+len(b)". It
// returns "" if no argument has a length.
func (s *argumentSizer) size(fn *function) string {
	names := map[string]bool{}           // names that the function's signature declares
	constraints := map[string]ast.Expr{} // of its type parameters; nil if unknown
	lists := []*ast.FieldList{fn.typ.TypeParams, fn.typ.Params, fn.typ.Results}
	inputs := []*ast.FieldList{fn.typ.Params}
	if fn.decl != nil {
		lists = append(lists, fn.decl.Recv)
		inputs = []*ast.FieldList{fn.decl.Recv, fn.typ.Params}
	}
	for i, list := range lists {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				names[name.Name] = true
				if i == 0 {
					constraints[name.Name] = field.Type
				}
			}
		}
	}
	if fn.decl != nil {
		for _, name := range receiverTypeParams(fn.decl) {
			names[name] = true
			constraints[name] = nil
		}
	}
	for _, word := range []string{"len", "int"} {
		if names[word] || s.hides(word, fn) {
			return ""
		}
	}
	var terms []string
	for _, list := range inputs {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			if !s.hasLength(field.Type, constraints, fn, 0) {
				continue
			}
			for _, name := range field.Names {
				if name.Name != "_" {
					terms = append(terms, "len("+name.Name+")")
				}
			}
		}
	}
	return strings.Join(terms, "+")
}

// hides reports whether a predeclared word may mean something else at the start of the function. A
// literal is in the scope of the declarations around it.
func (s *argumentSizer) hides(word string, fn *function) bool {
	if s.names[word] {
		return true
	}
	if fn.decl != nil {
		return false
	}
	return s.u.redeclares(word)
}

// mostNested is the maximum number of type declarations that hasLength follows.
const mostNested = 20

// hasLength reports whether len can be applied to all values of a type, or of the types of a
// constraint.
func (s *argumentSizer) hasLength(t ast.Expr, constraints map[string]ast.Expr, fn *function, depth int) bool {
	if depth > mostNested {
		return false
	}
	within := func(t ast.Expr) bool { return s.hasLength(t, constraints, fn, depth+1) }
	switch t := t.(type) {
	case *ast.ArrayType:
		return t.Len == nil
	case *ast.MapType, *ast.Ellipsis:
		return true
	case *ast.ParenExpr:
		return within(t.X)
	case *ast.IndexExpr:
		return s.declaredLength(t.X, depth)
	case *ast.IndexListExpr:
		return s.declaredLength(t.X, depth)
	case *ast.Ident:
		if constraint, ok := constraints[t.Name]; ok {
			return constraint != nil && within(constraint)
		}
		if t.Name == "string" && !s.hides("string", fn) {
			return true
		}
		return fn.decl != nil && s.declaredLength(t, depth) // in a literal it may be a local type
	case *ast.UnaryExpr:
		return t.Op == token.TILDE && within(t.X)
	case *ast.BinaryExpr:
		return t.Op == token.OR && within(t.X) && within(t.Y)
	case *ast.InterfaceType: // a constraint: one element with a length is enough, since all must hold
		for _, field := range t.Methods.List {
			if len(field.Names) == 0 && within(field.Type) {
				return true
			}
		}
	}
	return false
}

// declaredLength is hasLength for a type that the unit declares.
func (s *argumentSizer) declaredLength(t ast.Expr, depth int) bool {
	name, ok := ast.Unparen(t).(*ast.Ident)
	if !ok || s.types[name.Name] == nil {
		return false
	}
	// The type's own parameters are unknown. They do not matter: they are mostly element types.
	return s.hasLength(s.types[name.Name], nil, topLevel, depth+1)
}

// topLevel is a pseudo-function for declarations at package level.
var topLevel = &function{decl: &ast.FuncDecl{}}

// receiverTypeParams returns a method's names for its receiver's type parameters.
func receiverTypeParams(d *ast.FuncDecl) (names []string) {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return nil
	}
	add := func(x ast.Expr) {
		if name, ok := x.(*ast.Ident); ok {
			names = append(names, name.Name)
		}
	}
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			add(n.Index)
		case *ast.IndexListExpr:
			for _, x := range n.Indices {
				add(x)
			}
		}
		return true
	})
	return names
}

// asString returns a string expression converted to string. Adding "" makes the compiler reject
// expressions of other types.
func asString(x string) string {
	if e, _ := parser.ParseExpr(x); e != nil {
		if _, ok := e.(*ast.BinaryExpr); ok {
			x = "(" + x + ")"
		}
	}
	return "string(" + x + ` + "")`
}

// asInt returns an integer expression converted to int. The shift by 0 makes the compiler reject
// expressions of other types.
func asInt(x string) string {
	switch e, _ := parser.ParseExpr(x); e := e.(type) {
	case *ast.CallExpr:
		if name, ok := e.Fun.(*ast.Ident); ok && (name.Name == "len" || name.Name == "cap") {
			return x
		}
	case *ast.BinaryExpr:
		x = "(" + x + ")"
	}
	return "int(" + x + "<<0)"
}
