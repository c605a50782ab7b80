package rewrite

import (
	"fmt"
	"strings"
	"testing"
)

// A function that markers might push over the compiler's limit is planted tersely, unless it is
// over the limit anyway.
func TestLong(t *testing.T) {
	for _, tt := range []struct {
		cases  int
		before string
		form   form
		free   bool // the calls are free to the inliner
	}{
		{10, "f := func() {}; f()", formOpen, true},
		{110, "g()", formOpen, false},
		{110, "defer g()", formGuarded, false},
		{500, "g()", formOpen, true},
	} {
		var body strings.Builder
		for i := range tt.cases {
			fmt.Fprintf(&body, "\tcase %d:\n\t\tif a > n {\n\t\t\tn += a*%d + n\n\t\t}\n", i, i)
		}
		text := fmt.Sprintf("package p\n\nfunc f(a, n int) int {\n\t%s\n\tswitch a {\n%s\t}\n\treturn n\n}\n\nfunc g() {}\n", tt.before, body.String())
		u, err := Load("p", []Source{{"p.go", []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Find(Options{All: true, Inline: true}); err != nil {
			t.Fatal(err)
		}
		if p := u.Points[0]; p.Form != tt.form.String() {
			t.Errorf("%d cases, %s: %s (%s)", tt.cases, tt.before, p.Form, p.Why)
		}
		marked, err := u.Overlay(Overlay{Runtime: "markgen/perf"})
		if err != nil {
			t.Fatal(err)
		}
		if free := strings.Contains(string(marked["p.go"]), "[0] = markgen_perf.Open"); free != tt.free {
			t.Errorf("%d cases, %s: free calls: %v", tt.cases, tt.before, free)
		}
	}
}

// Function literals are functions of their own.
func TestNodes(t *testing.T) {
	u, err := Load("p", []Source{{"p.go", []byte("package p\n\nfunc f() {\n\tg := func() { g(1, 2, 3) }\n\tg()\n}\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Find(Options{All: true}); err != nil {
		t.Fatal(err)
	}
	if n := nodes(u.files[0].functions[0].body); n != 5 {
		t.Errorf("%d nodes", n)
	}
}
