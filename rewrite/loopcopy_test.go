package rewrite

import "testing"

// A loop of a function with one body is duplicated unless a second copy would be visible, would not
// compile, or would cost more than it saves.
func TestDoubles(t *testing.T) {
	for _, tt := range []struct {
		body string
		want int
	}{
		{"defer func() {}(); for range n { s++ }; return s", 1},
		{"defer func() {}(); for range n { g() }; return s", 1},
		{"defer func() {}(); for range n { for range n { s++ } }; for s < n { s++ }; return s", 2},
		{"defer func() {}(); for range n { if s > 3 { return s }; s++ }; return s", 0},
		{"defer func() {}(); L: for range n { for range n { s++; continue L } }; return s", 1}, // the inner one
		{"defer func() {}(); for range n { L: for range n { s++; continue L } }; return s", 0},
		{"defer func() {}(); for range n { defer g() }; return s", 0},
		{"defer func() {}(); for range n { func() { s++ }() }; return s", 0},
		{"defer func() {}(); for range n { type t int; s++ }; return s", 0},
		{"f := g; for range n { s++ }; f(); return s", 0}, // a twin
		{"defer g(); for range n { s++ }; return s", 0},   // guarded, and a copy
		{"f := func() {}; for range n { s++ }; f(); return s", 1},
		{"f := func() {}; f(); for i := range n { list = append(list, i) }; return len(list)", 0}, // list starts on the stack
		{"f := func() {}; f(); for i := range n { list = append(list, i); if i > 3 { all = list } }; return 0", 0},
		{"defer func() {}(); var own []int; for i := range n { own = append(own, i) }; return len(own)", 0},
		{"defer func() {}(); for range n { var own []int; own = append(own, n); s += len(own) }; return s", 0},
		{"defer func() {}(); own := []int{1}; for i := range n { own = append(own, i) }; return len(own)", 0},
		{"defer func() {}(); var own []int; own = append(own, n); for i := range n { own = append(own, i) }; return len(own)", 1},
		{"defer func() {}(); var own []int; for range n { for i := range n { own = append(own, i) }; for range n { s++ } }; return len(own)", 1}, // the other inner one
		{"f := func() {}; f(); for i := range n { list = append(list, i) }; all = list; return 0", 0},                                            // list starts on the stack
		{"f := func() {}; f(); list = append(list, 1); for i := range n { list = append(list, i) }; all = list; return 0", 1},
		{"f := func() {}; f(); for range n { if s > 1 { return 1 } }; return s", 1},
	} {
		u := found(t, "func f(n int, list []int) (s int) { "+tt.body+" }; func g(); var all []int")
		if got := len(u.files[0].functions[0].doubles); got != tt.want {
			t.Errorf("%s: %d loops are there twice, want %d", tt.body, got, tt.want)
		}
	}
}
