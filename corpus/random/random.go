// Package random generates random Go programs that print what they do: their results, on which
// lines, and how often each function, loop and branch is executed. Tests compare marked programs
// with them: whatever a function contains, marking must change nothing, and the counts must be
// those of the program.
//
//	text, err := random.Program(seed, 40)
//
// A program always ends, and does the same in each run: it waits for goroutines, draws a
// pseudo-random number where the result could depend on timing, and limits the number of calls and
// loop iterations. It panics, recovers, ends goroutines with runtime.Goexit, jumps, and has
// deferred calls that do all of this. It can be told to die in any of its steps.
package random

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// told is the source of the package with which programs record what they do.
//
//go:embed told.txt
var told string

// Write writes a program to a directory: go.mod, main.go and the package told. The output of the
// program depends on its environment: with PLACES=1 it includes "passed KIND LINE N" for each
// executed place, with NOLINES=1 it includes nothing that depends on line numbers, with TOLD=1 it
// includes each step, and with ALLOCS=1 "allocates FUNCTION SEED OBJECTS PANICS" for each call from
// main. DIE=WAY:N ends it in step N (for ways see die in told.txt), and PLACEFILE names a file with
// the counts so far: for each kind one 8-byte number per line of the source.
func Write(dir string, seed uint64, functions int) error {
	text, err := Program(seed, functions)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "told"), 0o777); err != nil {
		return err
	}
	for name, text := range map[string]string{"go.mod": "module random\n\ngo 1.25\n", "told/told.go": told, "main.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// Program returns the text of a program with that many functions, plus the function literals in
// them. For every other seed the text is not formatted with gofmt.
func Program(seed uint64, functions int) (string, error) {
	g := &maker{rand: rand.New(rand.NewPCG(seed, 1))}
	for i := range functions {
		g.functions = append(g.functions, function{sprintf("f%d", i), kind(g.below(int(kinds)))})
	}
	var s strings.Builder
	s.WriteString(head)
	for i, fn := range g.functions {
		text := g.function(i)
		for onEdge(text) {
			text = g.function(i)
		}
		if g.oneIn(10) {
			s.WriteString("//go:noinline\n")
		}
		if g.oneIn(8) {
			s.WriteString(sprintf("// %s is one of many.\n//\n//perf:mark m%d\n", fn.name, i))
		}
		s.WriteString(text + "\n")
	}
	s.WriteString("func main() {\ntold.F(PLACE)\n")
	g.visible, g.literals = visible{}, mostLiterals
	for i, fn := range g.functions {
		for _, bits := range []int{i + int(seed), i + 1000} {
			s.WriteString(sprintf("told.Call(%q, %d, func(c *told.C) { told.F(PLACE); c.Out(%s) })\n", fn.name, bits, g.callOf(i, 0)))
		}
	}
	s.WriteString("told.Print()\n}\n")
	text := s.String()
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return "", fmt.Errorf("seed %d: %w", seed, err)
	}
	if seed%2 == 0 {
		text = string(formatted)
	}
	return setPlaces(text)
}

const head = `package main

import (
	"runtime"

	"random/told"
)

var _ = runtime.Goexit

type two struct{ a, b int }

type outer struct{ *two }

type box[E any] struct{ v E }

`

// onEdge reports whether one more deferred call may change the line number that a function in the
// text reports while it runs deferred calls: the compiler runs them inline at the returns as long
// as returns times deferred calls is at most 15.
func onEdge(text string) (edge bool) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, 0)
	if err != nil {
		return false // Program reports the error
	}
	var function func(body *ast.BlockStmt)
	function = func(body *ast.BlockStmt) {
		returns, defers := 0, 0
		ast.Inspect(body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				function(n.Body)
				return false
			case *ast.ReturnStmt:
				returns++
			case *ast.DeferStmt:
				defers++
			}
			return true
		})
		edge = edge || defers > 0 && max(returns, 1)*defers <= 15 && (returns+1)*(defers+1) > 15
	}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			function(fn.Body)
		}
	}
	return edge
}

// setPlaces replaces each PLACE with the line of the function, loop or branch whose body begins
// with it.
func setPlaces(text string) (string, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "main.go", text, 0)
	if err != nil {
		return "", err
	}
	var s strings.Builder
	done := 0
	lines := map[token.Pos]int{}
	first := func(at token.Pos, body []ast.Stmt) {
		if len(body) == 0 {
			return
		}
		if x, ok := body[0].(*ast.ExprStmt); ok {
			if call, ok := x.X.(*ast.CallExpr); ok && len(call.Args) == 1 {
				lines[call.Args[0].Pos()] = set.Position(at).Line
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			first(n.Pos(), n.Body.List)
		case *ast.FuncLit:
			first(n.Pos(), n.Body.List)
		case *ast.ForStmt:
			first(n.Pos(), n.Body.List)
		case *ast.RangeStmt:
			first(n.Pos(), n.Body.List)
		case *ast.IfStmt:
			first(n.Pos(), n.Body.List)
			if b, ok := n.Else.(*ast.BlockStmt); ok {
				first(b.Pos(), b.List)
			}
		case *ast.CaseClause:
			first(n.Pos(), n.Body)
		case *ast.CommClause:
			first(n.Pos(), n.Body)
		case *ast.Ident:
			if n.Name == "PLACE" {
				at := set.Position(n.Pos()).Offset
				s.WriteString(text[done:at] + strconv.Itoa(lines[n.Pos()]))
				done = at + len("PLACE")
			}
		}
		return true
	})
	return s.String() + text[done:], nil
}

// A kind is the signature of a function.
type kind int

const (
	plain kind = iota
	named
	pair
	namedPair
	nothing
	variadic
	method
	pointerMethod
	generic
	genericMethod
	callback
	recursive
	tiny
	iterator
	kinds // number of kinds
)

type function struct {
	name string
	kind kind
}

// visible are the variables in scope at the current place.
type visible struct{ ints, slices, texts, pairs []string }

// A maker generates functions one after another.
type maker struct {
	rand      *rand.Rand
	functions []function
	next      int // index of the first function that may be called
	names     int // number of names used so far
	visible
	labels   []label
	ret      func() string // returns a return statement
	inLoop   bool          // break and continue are allowed
	inCase   bool          // break is allowed
	literals int           // number of enclosing function literals
	ends     string        // statement that changes the results, in a deferred literal
}

type label struct {
	name string
	loop bool
}

// mostLiterals is the maximum nesting of function literals.
const mostLiterals = 3

func (g *maker) below(n int) int      { return g.rand.IntN(n) }
func (g *maker) oneIn(n int) bool     { return g.rand.IntN(n) == 0 }
func (g *maker) name(p string) string { g.names++; return p + strconv.Itoa(g.names) }

// either returns one of several texts, chosen at random.
func either(g *maker, s ...string) string { return s[g.below(len(s))] }

var sprintf = fmt.Sprintf

// function returns the text of function i.
func (g *maker) function(i int) string {
	fn := g.functions[i]
	g.next = i + 1
	g.visible, g.labels, g.inLoop, g.inCase, g.ends, g.literals = visible{}, nil, false, false, "", 0
	g.ints = []string{"a", "b"}
	g.ret = func() string { return "return " + g.num(2) }
	var head, pre string
	depth := 2 + g.below(3)
	switch fn.kind {
	case plain, tiny:
		head = sprintf("func %s(c *told.C, a, b int) int {", fn.name)
	case named:
		head = sprintf("func %s(c *told.C, a, b int) (n int) {", fn.name)
		g.ints = append(g.ints, "n")
		g.ends = "n += 3"
		g.ret = func() string { return either(g, "return", "return "+g.num(2)) }
	case pair:
		head = sprintf("func %s(c *told.C, a int) (int, error) {", fn.name)
		g.ints = g.ints[:1]
		g.ret = func() string { return sprintf("return %s, %s", g.num(1), either(g, "nil", "nil", "told.Err")) }
	case namedPair:
		head = sprintf("func %s(c *told.C, a int) (b int, err error) {", fn.name)
		g.ends = "b, err = 7, nil"
		g.ret = func() string {
			return either(g, "return", sprintf("return %s, %s", g.num(1), either(g, "nil", "nil", "told.Err", "err")))
		}
	case nothing:
		head = sprintf("func %s(c *told.C, a int) {", fn.name)
		g.ints = g.ints[:1]
		g.ret = func() string { return "return" }
	case variadic:
		head = sprintf("func %s(c *told.C, a int, more ...int) int {", fn.name)
		g.ints = g.ints[:1]
		g.slices = []string{"more"}
	case method:
		head = sprintf("func (r two) %s(c *told.C, a int) int {", fn.name)
		g.ints = []string{"a", "r.a", "r.b"}
		g.pairs = []string{"r"}
	case pointerMethod:
		head = sprintf("func (r *two) %s(c *told.C, a int) int {", fn.name)
		g.ints = []string{"a", "r.a", "r.b"}
	case generic:
		head = sprintf("func %s[E any](c *told.C, x E, a int) (E, int) {", fn.name)
		g.ints = []string{"a"}
		g.ret = func() string { return sprintf("return x, %s", g.num(1)) }
	case genericMethod:
		head = sprintf("func (r *box[E]) %s(c *told.C, a int) int {", fn.name)
		g.ints = []string{"a"}
	case callback:
		head = sprintf("func %s(c *told.C, h func(int) int, a int) int {", fn.name)
		g.ints = []string{"a"}
		pre = sprintf("if c.Bit() {\ntold.B(PLACE)\nreturn h(%s)\n}\n", g.num(1))
	case recursive:
		head = sprintf("func %s(c *told.C, a, b int) int {", fn.name)
		pre = sprintf("if a > 4 || c.Spent() {\ntold.B(PLACE)\nreturn %s\n}\nb += %s(c, max(0, a)+1, %s)\n", g.num(1), fn.name, g.num(1))
	case iterator:
		head = sprintf("func %s(c *told.C, a int) func(func(int) bool) {", fn.name)
		g.ints = []string{"a"}
		g.ret = func() string { return "return" }
		g.literals = 1
		body, after := g.stmts(1, g.below(3)), g.stmts(1, g.below(3))
		return sprintf("%s\ntold.F(PLACE)\nreturn func(yield func(int) bool) {\ntold.F(PLACE)\n%sfor i := range 3 {\ntold.L(PLACE)\nif !yield(i*a) {\ntold.B(PLACE)\nreturn\n}\n}\n%s}\n}\n", head, either(g, "", body), either(g, "", after))
	}
	if fn.kind == tiny {
		return head + sprintf("\ntold.F(PLACE)\nreturn %s\n}\n", g.num(1))
	}
	pre += "if c.Spent() {\ntold.B(PLACE)\n" + g.ret() + "\n}\n"
	s := head + "\ntold.F(PLACE)\n" + pre + g.stmts(depth, 3+g.below(8))
	return s + g.ret() + "\n}\n"
}
