package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// Every declaration that may give a call of the word another meaning is found. Uses of the word,
// and fields, methods and labels of that name, are not declarations.
func TestDeclared(t *testing.T) {
	for body, want := range map[string]bool{
		`func panic(string) {}`:                                        true,
		"func\tpanic (string) {}":                                      true,
		`type panic string`:                                            true,
		`type panic[T any] []T`:                                        true,
		`var x, panic = 1, func(any) {}`:                               true,
		`const panic = 1`:                                              true,
		`func f(panic func(any)) { panic(1) }`:                         true,
		`func f() (panic int) { return }`:                              true,
		`func f[panic any](x panic) {}`:                                true,
		`func (panic T) f() {}`:                                        true,
		`func f() { panic := g; panic(1) }`:                            true,
		`func f() { panic/**/:= g; panic(1) }`:                         true,
		`func f() { for _, panic := range gs { panic(1) } }`:           true,
		`func f() { for panic := range gs { panic(1) } }`:              true,
		`func f() { if panic := g(); panic(1) { } }`:                   true,
		`func f() { switch panic := x.(type) { case T: } }`:            true,
		`func f() { select { case panic := <-c: panic(1) } }`:          true,
		`func f() { func() { type panic int; _ = panic(1) }() }`:       true,
		`import panic "fmt"`:                                           true,
		`func f() { panic(1) }`:                                        false,
		`func f() { defer panic (1) }`:                                 false,
		`func (T) panic() {}`:                                          false,
		`type T struct { panic func() }; type I interface { panic() }`: false,
		`func f() { t.panic = nil; T{panic: nil}.panic() }`:            false,
		`func f() { panic: for { break panic } }`:                      false,
		`func f() { panics := 1; _ = panics }`:                         false,
	} {
		text := "package p; " + body
		f, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if got := declared([]*file{{ast: f, Source: Source{Text: []byte(text)}}}, "panic"); got != want {
			t.Errorf("%s: declared %v", body, got)
		}
	}
}

// A result is shadowed if a statement with a return in it declares its name in a block, but not by
// a := at the top level of the body, which assigns to it, nor in a function literal.
func TestHidesAny(t *testing.T) {
	for source, want := range map[string]bool{
		`x, err := g(); return x, err`:                        false,
		`f := func() { err := g(); _ = err }; f(); return`:    false,
		`go func(err error) {}(nil); return`:                  false,
		`if x := g(); x != nil { err = x }; return`:           false,
		`if err := g(); err != nil { return 0, err }; return`: true,
		`for { x, err := g(); return x, err }`:                true,
		`for _, err := range errs { return 0, err }; return`:  true,
		`{ var err error; return 0, err }`:                    true,
		`switch err := x.(type) { case nil: return 0, err }`:  true,
		`select { case err := <-c: return 0, err }`:           true,
		`{ type err int; return 0, nil }`:                     true,
		`{ type err int }; return`:                            false,
		`if err := g(); err != nil { h() }; return 0, g()`:    false,
	} {
		text := "package p; func f() (n int, err error) { " + source + " }"
		f, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		body := f.Decls[0].(*ast.FuncDecl).Body
		var returns []returnSite
		ast.Inspect(body, func(n ast.Node) bool {
			if r, ok := n.(*ast.ReturnStmt); ok {
				returns = append(returns, returnSite{stmt: r})
			}
			return true
		})
		if got := hidesAny(body, map[string]bool{"n": true, "err": true}, returns); got != want {
			t.Errorf("%s: hidden %v", source, got)
		}
	}
}
