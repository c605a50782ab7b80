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
