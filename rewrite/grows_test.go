package rewrite

import "testing"

// found returns a unit after Find.
func found(t *testing.T, src string) *Unit {
	t.Helper()
	u, err := Load("example.com/p", []Source{{Name: "p.go", Text: []byte("package p\n\n" + src + "\n")}})
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	if err := u.Find(Options{All: true, Inline: true}); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return u
}

// A slice variable may start on the stack if it never escapes, or if it is appended to more than
// once, or in a loop, and escapes at one place.
func TestGrowing(t *testing.T) {
	for src, want := range map[string]string{
		"func f(n int) (s []int) { for i := range n { s = append(s, i) }; return }":                                                "s",
		"func f(n int) (s []int) { for i := range n { s = append(s, i) }; return s }":                                              "s",
		"func f(s []int, n int) []int { for i := range n { s = append(s, i) }; return s }":                                         "s",
		"func f(s []int) []int { s = append(s, 1); s = append(s, 2); return s }":                                                   "s",
		"type t []int; func (s t) f(n int) t { for i := range n { s = append(s, i) }; return s }":                                  "s",
		"func f(n int) (a int, s []int, err error) { for i := range n { s = append(s, i) }; return 1, s, nil }":                    "s",
		"func f(s []int) []int { s = append(s, 1); return s }":                                                                     "", // appended to only once
		"func f(s []int, n int) []int { s = append(s, 1, 2); if n > 1 { return s }; s = append(s, 2); return s }":                  "", // escapes at two places
		"func f(s []int, n int) []int { for i := range n { s = append(s, i); if i > 9 { return s } }; return nil }":                "", // escapes in a loop
		"func f(n int) []int { var s []int; for i := range n { s = append(s, i) }; return s }":                                     "s",
		"func f(n int) { for range n { var s []int; for i := range n { s = append(s, i) }; m[0] = s } }; var m [1][]int":           "s", // both in the loop of its declaration
		"func f(n int) []int { s := make([]int, n); for i := range n { s = append(s, i) }; return s }":                             "",  // made with a computed length
		"func f(s [4]int, n int) { for range n { use(append(s[:], 1)) } }; func use([]int)":                                        "",
		"func f(n int) (s []int) { g := func() { s = append(s, 1); s = append(s, 2) }; g(); return }":                              "", // captured by a literal
		"func f(n int) (s []int) { defer g(); for i := range n { s = append(s, i) }; return }; func g()":                           "", // in memory
		"func f(s []int, n int) []int { for i := range n { s = g(s, i); s = append(s, i) }; return s }; func g([]int, int) []int":  "", // g grows it
		"func f(s []int, n int) []int { for i := range n { s = append(s, i) }; p := &s[0]; return s[:*p] }":                        "",
		"func f(s []int, n int) ([]int, []int) { for i := range n { s = append(s, i) }; t := s[1:]; return s, t }":                 "",
		"func f(s []int, n int) []int { for i := range n { s = append(s, i) }; s = s[1:]; if cap(s) > 9 { s = nil }; return s }":   "s",
		"func f(s []int, n int) []int { for i := range n { s[i]++; s = append(s, s[i]) }; for range s { n += len(s) }; return s }": "s",
		"func f(s []int, n int) { for i := range n { s = append(s, i) }; g(s) }; func g([]int)":                                    "s", // inlined into f, g may let it escape
		"func f(s []int, n int) { for i := range n { s = append(s, i) }; m[0] = s }; var m [1][]int":                               "s",
		"func f(s []int, n int) []int { for i := range n { s = append(s, i) }; { s := n; n = s }; return s }":                      "s", // the inner s is another variable
		"func f(s []int, n int) []int { for i := range n { s = append(s, i) }; { s := s[n:]; n = len(s) }; return s }":             "",

		// Slices that are not aliased never escape.
		"func f(s []int) int { s = append(s, 1); return len(s) }":                                               "s",
		"func f(s, t []int) int { t = append(s, 1); return t[0] }":                                              "s",
		"func f(s, t []int) int { s = append(s, t...); return len(s) }":                                         "", // append of a slice, a runtime call
		"func f() int { s := []int{1}; s = append(s, 2); return len(s) }":                                       "", // not empty
		"func f(n int) int { s := make([]int, 0, 3); for i := range n { s = append(s, i) }; return len(s) }":    "", // sufficient capacity
		"func f(n int) int { s := make([]int, 0, 3); s = append(s, 1, 2, 3, 4); return len(s) }":                "s",
		"func f(n int) int { s := make([]int, 0, n); for i := range n { s = append(s, i) }; return len(s) }":    "", // possibly sufficient capacity
		"func f(n int) (k int) { s := []int{1}; for len(s) > 0 { s = s[1:]; s = append(s, n) }; return }":       "s",
		"func f(s []int) *t { s = append(s, 1); return &t{s} }; type t struct{ s []int }":                       "",
		"func f(s []int) { s = append(s, 1); all = append(all, s) }; var all [][]int":                           "",
		"func f(s []int) { s = append(s, 1); m[1] = s }; var m map[int][]int":                                   "",
		"func f(s []int, c chan []int) { s = append(s, 1); c <- s }":                                            "",
		"func f(s []int) { s = append(s, 1); all = s }; var all []int":                                          "",
		"func f(s []int, x *t) { s = append(s, 1); x.s = s }; type t struct{ s []int }":                         "",
		"func f(s []int) int { var x t; s = append(s, 1); x.s = s; return len(x.s) }; type t struct{ s []int }": "s",
		"func f(s []int) { s = append(s, 1); g(&s) }; func g(*[]int)":                                           "", // in memory
		"func f(s []int) { s = append(s, 1); defer func() { println(s) }() }":                                   "",
	} {
		u := found(t, src)
		got := ""
		for _, f := range u.files {
			for _, fn := range f.functions {
				for _, s := range fn.growing() {
					got = s.name
				}
			}
		}
		if got != want {
			t.Errorf("%s: %q grows, want %q", src, got, want)
		}
	}
}

// panic is the predeclared function unless the function or the package declares that name.
func TestPanicsOf(t *testing.T) {
	for src, want := range map[string]int{
		"func f() { panic(1) }": 0,
		"func f() { panic(1) }; func g(panic func(int)) { panic(2) }":                            2, // the parameter and the call
		"func f() { for panic := range 3 { _ = panic }; panic(1) }":                              2,
		"func f() { { panic := func() {}; panic() }; panic(1) }":                                 2,
		"func f() { panic(1) }; type t struct { panic int }; func g(x t) int { return x.panic }": 0,
	} {
		got := found(t, src).panics()
		if got.OwnPanic || len(got.NotPanic) != want {
			t.Errorf("%s: %+v, want %d places where it is another", src, got, want)
		}
	}
	if !found(t, "func panic(int) {}; func f() { panic(1) }").panics().OwnPanic {
		t.Error("the package's own panic is not seen")
	}
}

// Markers may make a call much longer if one of them is in a loop that calls something.
func TestLengthens(t *testing.T) {
	for src, want := range map[string]bool{
		"func f(n int) { for range n { g() } }; func g()":                                         true,
		"func f(s []int, x interface{ m(int) }) { for _, v := range s { x.m(v) } }":               true,
		"func f(s []int) (n int) { for _, v := range s { n += int(uint8(v)) + len(s) }; return }": false,
		"func f() { g(); g() }; func g()":                                                         false,
	} {
		for _, f := range found(t, src).files {
			if got := f.functions[0].lengthens(); got != want {
				t.Errorf("%s: %v", src, got)
			}
		}
	}
}
