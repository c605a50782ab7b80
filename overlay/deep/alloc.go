package deep

import (
	"fmt"
	"go/ast"
	"go/token"
)

// The heap allocates memory in functions that take an object of a span from the processor's cache
// (c.nextFree, after an inlined attempt), or a span for a large object (c.allocLarge). Each then
// reports the size to the heap profiler in one statement, and the size is the one that MemStats
// counts:
//
//	c.nextSample -= int64(size)
//
// In addition, tiny objects share an object of a span. MemStats counts the tiny objects that were
// placed in an existing one as objects, but without bytes, which were counted for the first:
//
//	c.tinyAllocs++
//
// Chunks of arenas are neither; where they are allocated, the heap statistics count a large object.
const (
	smallObject = "function that takes an object of a span (nextFree)"
	largeObject = "function that takes a span for an object (allocLarge)"
	tinyObject  = "statement that counts a tiny object (tinyAllocs++)"
)

// allocates makes the function count what it allocates.
func (r *rewriter) allocates(text []byte, f *ast.FuncDecl) {
	var takes, packs token.Pos // positions of an allocation, and of a tiny object placed in an existing one
	counted, packed := false, false
	owner := "getg().m"
	if mp := machine(f); mp != "" {
		owner = mp
	}
	count := func(at token.Pos, bytes string) {
		r.insert(at, fmt.Sprintf("; if gp := %s.curg; gp != nil { %sgp.markgen.Objects++ }", owner, bytes))
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch method(n) {
			case "nextFree":
				takes = n.Pos()
				r.found[smallObject]++
			case "allocLarge":
				takes = n.Pos()
				r.found[largeObject]++
			}
		case *ast.AssignStmt:
			if n.Tok == token.ASSIGN && field(n.Lhs[0]) == "tinyoffset" {
				if sum, ok := n.Rhs[0].(*ast.BinaryExpr); ok && sum.Op == token.ADD {
					packs = n.Pos()
				}
			}
		case *ast.IncDecStmt:
			if n.Tok == token.INC && field(n.X) == "tinyAllocs" {
				packed = true
				r.found[tinyObject]++
				count(n.End(), "")
			}
		case *ast.ExprStmt:
			if size := r.chunk(text, f, n); size != "" {
				r.insert(n.End(), fmt.Sprintf("; markgenAllocated(uintptr(%s))", size))
			}
		}
		return true
	})
	for _, s := range f.Body.List {
		if size := sampled(s); size != nil && takes.IsValid() {
			counted = true
			count(s.End(), fmt.Sprintf("gp.markgen.Bytes += uint64(%s); ", r.source(text, size)))
		}
	}
	if takes.IsValid() && !counted {
		r.missAt(takes, "func "+f.Name.Name+" takes memory and has no statement c.nextSample -= int64(size) to count it at")
	}
	if packs.IsValid() && !packed {
		r.missAt(packs, "func "+f.Name.Name+" packs a tiny object and has no statement c.tinyAllocs++ to count it at")
	}
}

// sampled returns size if s is x.nextSample -= int64(size), else nil.
func sampled(s ast.Stmt) ast.Expr {
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok != token.SUB_ASSIGN || field(a.Lhs[0]) != "nextSample" {
		return nil
	}
	c, ok := a.Rhs[0].(*ast.CallExpr)
	if !ok || len(c.Args) != 1 {
		return nil
	}
	if t, ok := c.Fun.(*ast.Ident); !ok || t.Name != "int64" {
		return nil
	}
	return c.Args[0]
}

// chunk returns int64(size) if s is atomic.Xadd64(&x.largeAlloc, int64(size)) and the memory is not
// that of an object, else "".
func (r *rewriter) chunk(text []byte, f *ast.FuncDecl, s *ast.ExprStmt) string {
	c, ok := s.X.(*ast.CallExpr)
	if !ok || method(c) != "Xadd64" || len(c.Args) != 2 || f.Name.Name == "allocLarge" {
		return ""
	}
	of, ok := c.Args[0].(*ast.UnaryExpr)
	if !ok || of.Op != token.AND || field(of.X) != "largeAlloc" {
		return ""
	}
	return r.source(text, c.Args[1])
}

// machine returns the variable of a function to which the result of acquirem is assigned, or "".
func machine(f *ast.FuncDecl) string {
	for _, s := range f.Body.List {
		a, ok := s.(*ast.AssignStmt)
		if !ok || a.Tok != token.DEFINE || len(a.Lhs) != 1 {
			continue
		}
		if c, ok := a.Rhs[0].(*ast.CallExpr); ok {
			if called, ok := c.Fun.(*ast.Ident); ok && called.Name == "acquirem" {
				return a.Lhs[0].(*ast.Ident).Name
			}
		}
	}
	return ""
}

// method returns the name of the called method or function of another package, or "".
func method(c *ast.CallExpr) string { return field(c.Fun) }

// field returns the last name of a selector expression, or "".
func field(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}
