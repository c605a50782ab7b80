package rewrite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArgumentSizes(t *testing.T) {
	const text = `package p

import "net"

type (
	ints       []int
	alias      = ints
	table      map[string]int
	text       string
	list[T any] []T
	node       struct{ next *node }
	bytes      interface{ ~string | ~[]byte }
	narrow     interface{ bytes; String() string }
	number     interface{ ~int | ~float64 }
	loop       []loop
	pointer    *[]int
	deep       alias
)

func slice(a []int)                              {}
func several(a []int, n int, s string, m table)  {}
func variadic(n int, more ...string)             {}
func grouped(a, b []byte)                        {}
func unnamed([]int, string)                      {}
func blank(_ []int, b []int)                     {}
func array(a [8]int, p *[8]int, q *[]int)        {}
func channel(c chan int, f func([]int))          {}
func other(ip net.IP, n number2)                 {}
func named(a ints, b alias, c text, d list[int]) {}
func parens(a ([]int))                           {}
func nested(a loop, b deep)                      {}
func pointers(a pointer, n *node)                {}
func (a ints) method(b text)                     {}
func (a *ints) pointer(b text)                   {}
func (l list[T]) generic(v T)                    {}
func (n *node) with(s []string)                  {}
func constrained[S ~[]E, E any](s S, e E)        {}
func union[T string | []byte](t T)               {}
func declaredUnion[T bytes](t T)                 {}
func narrowed[T narrow](t T)                     {}
func inline[T interface{ ~string; M() }](t T)    {}
func mixed[T ~string | ~int](t T)                {}
func numbers[T number](t T)                      {}
func same(ints ints, text []text)                {}
func typeParameter[ints any](a ints)             {}
func none(n int)                                 {}

type number2 int

func outer(n int) {
	_ = func(a []int, s string) {}
	type ints struct{}
	_ = func(a ints, b []ints) {}
}
`
	u, err := Load("p", []Source{{"p.go", []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Find(Options{All: true, Sizes: true}); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, p := range u.Points {
		if p.SizeExpr != "" {
			got[strings.TrimPrefix(p.Name, "p.")] = p.SizeExpr
		}
	}
	want := map[string]string{
		"slice":           "len(a)",
		"several":         "len(a)+len(s)+len(m)",
		"variadic":        "len(more)",
		"grouped":         "len(a)+len(b)",
		"blank":           "len(b)",
		"named":           "len(a)+len(b)+len(c)+len(d)",
		"parens":          "len(a)",
		"nested":          "len(a)+len(b)",
		"ints.method":     "len(a)+len(b)",
		"(*ints).pointer": "len(b)",
		"list.generic":    "len(l)",
		"(*node).with":    "len(s)",
		"same":            "len(text)",
		"outer:func#1":    "len(a)+len(s)",
		"outer:func#2":    "len(b)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A size= in a directive takes precedence, and if a predeclared word means something else there is
// no size.
func TestArgumentSizesLeft(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"//perf:mark size=n\nfunc f(n int, s []int) {}", "n"},
		{"//perf:mark count\nfunc f(n int, s []int) {}", ""},
		{"//perf:mark\nfunc f(n int, s []int) {}", "len(s)"},
		{"//perf:mark\nfunc f(n int, s []int) {}\nfunc len() {}", ""},
		{"//perf:mark\nfunc f(n int, s []int) {}\ntype int uint8", ""},
		{"//perf:mark\nfunc f(s string) {}\ntype string struct{}", ""},
		{"//perf:mark\nfunc f(s []int) { len := 1; _ = len }", ""},
		{"//perf:mark\nfunc f(len []int) {}", ""},
		{"//perf:mark\nfunc f(int []string) {}", ""},
		{"//perf:mark\nfunc f(s []string) (len int) { return 0 }", ""},
		{"func g() {\n len := 1; _ = len\n//perf:mark\n_ = func(s []int) {}\n}", ""},
		{"func g() {\n type string struct{}\n//perf:mark\n_ = func(s string) {}\n}", ""},
		{"type E []int; type t[T any] struct{}\n//perf:mark\nfunc (x t[E]) f(e E, s []E) {}", "len(s)"},
		{"type t t2; type t2 t\n//perf:mark\nfunc f(s t) {}", ""},
	} {
		u, err := Load("p", []Source{{"p.go", []byte("package p\n" + tt.text + "\n")}})
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Find(Options{Sizes: true}); err != nil {
			t.Fatal(err)
		}
		if got := u.Points[0].SizeExpr; got != tt.want && !(u.Points[0].Count && tt.want == "") {
			t.Errorf("%s: size %q, want %q", tt.text, got, tt.want)
		}
	}
}
