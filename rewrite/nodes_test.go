package rewrite

import (
	"fmt"
	"strings"
	"testing"
)

// A function with many nodes is planted tersely if other markers would exceed the limit, and its
// Why says so if all would. Demoted markers are counted in calls only if that helps.
func TestLong(t *testing.T) {
	for _, tt := range []struct {
		cases        int
		before, call string
		form         form
		why          string
		untallied    bool
	}{
		{50, "", "g()", formTwin, "one test at the top", true},
		{110, "", "g()", formOpen, "with other markers", true},
		{110, "", "print()", formGuarded, "a copy of so long a body", true},
		{110, "defer g()", "g()", formGuarded, "with other markers", true},
		{200, "", "g()", formGuarded, "with its markers", false},
		{200, "defer g()", "g()", formGuarded, "with its markers", false},
		{500, "", "g()", formGuarded, "a copy of so long a body", false},
	} {
		var body strings.Builder
		for i := range tt.cases {
			fmt.Fprintf(&body, "\tcase %d:\n\t\tif a > n {\n\t\t\tn += a*%d + n\n\t\t}\n", i, i)
		}
		text := fmt.Sprintf("package p\n\nfunc f(a, n int) int {\n\t%s\n\t%s\n\tswitch a {\n%s\t}\n\treturn n\n}\n\nfunc g() {}\n", tt.before, tt.call, body.String())
		u, err := Load("p", []Source{{"p.go", []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Find(Options{All: true, Inline: true}); err != nil {
			t.Fatal(err)
		}
		said := tt.why == "a copy of so long a body" && strings.Contains(u.Points[0].Why, "with its markers")
		if got := u.files[0].functions[0].untallied; got != tt.untallied {
			t.Errorf("%d cases, %s; %s: untallied is %t", tt.cases, tt.before, tt.call, got)
		}
		if p := u.Points[0]; p.Form != tt.form.String() || !strings.Contains(p.Why, tt.why) || said {
			t.Errorf("%d cases, %s; %s: %s (%s)", tt.cases, tt.before, tt.call, p.Form, p.Why)
		}
		marked, err := u.Overlay(Overlay{Runtime: "markgen/perf"})
		if err != nil {
			t.Fatal(err)
		}
		if free := strings.Contains(string(marked["p.go"]), "[0] = markgen_perf.Open("); free == u.files[0].functions[0].terse && tt.form == formOpen {
			t.Errorf("%d cases: free calls: %v", tt.cases, free)
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
