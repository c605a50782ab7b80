package rewrite

import (
	"strings"
	"testing"
)

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

// A body is copied unless the copy makes the function big: one that is big with its markers anyway is.
func TestLongBodies(t *testing.T) {
	for branches, want := range map[int]form{10: formTwin, 100: formTwin, 140: formOpen, 200: formTwin} {
		src := "func f(n int) { for range n { g() }" + strings.Repeat("; if n > 7 { g() }", branches) + " }; func g()"
		if fn := found(t, src).files[0].functions[0]; fn.form != want {
			t.Errorf("%d branches: %s (%s), want %s", branches, fn.form, fn.why, want)
		}
	}
}

// A guarded body is a copy, too, unless the copy would make deferred calls slower, or be visible.
func TestGuardedCopies(t *testing.T) {
	const ret = "if n > 3 { return }; "
	for body, want := range map[string]bool{
		"defer g()":                                      true,
		strings.Repeat(ret, 2) + "defer g()":             true,  // three deferred calls at five returns
		strings.Repeat(ret, 3) + "defer g()":             false, // at seven
		strings.Repeat(ret, 8) + "defer g()":             true,  // too many returns without a copy
		"defer g(); defer g(); defer g(); defer g()":     false,
		strings.Repeat("defer g(); ", 8):                 true,
		"defer func() { recover() }()":                   false,
		"type t int; defer g()":                          false,
		"defer g(); c := make(chan int); for { c <- n }": false, // it may run as long as the program
	} {
		fn := found(t, "func f(n int) { for range n { g() }; "+body+" }; func g()").files[0].functions[0]
		if fn.form != formGuarded || fn.copied != want {
			t.Errorf("%s: %s, copied %v", body, fn.form, fn.copied)
		}
	}
}
