package rewrite

import "testing"

// A function that may start a slice on the stack which is a parameter or a result has one body.
func TestStackAppends(t *testing.T) {
	for src, want := range map[string]string{
		"func f(n int) (s []int) { for i := range n { s = append(s, i) }; return }":                                 "s",
		"func f(s []int, n int) []int { for i := range n { s = append(s, i) }; return s }":                          "s",
		"type t []int; func (s t) f(n int) t { for i := range n { s = append(s, i) }; return s }":                   "s",
		"func f(s []int) int { s = append(s, 1); return len(s) }":                                                   "s",
		"func f(s []int, n int) []int { s = append(s, 1); if n > 1 { return s }; s = append(s, 2); return s }":      "", // returned twice, so on the heap
		"func f(n int) (s []int) { for i := range n { s = append(s, i) }; if n > 1 { return }; s = s[1:]; return }": "",
		"func f(s []int) []int { for i := range s { if i > 1 { s := s; return s }; s = append(s, i) }; return s }":  "s", // two variables
		"func f(n int) (s, t []int) { for i := range n { t = append(t, i); s = append(s, i) }; return }":            "t",
		"func f(s, t []int) []int { s = append(s, t...); return s }":                                                "",
		"func f(n int) []int { var s []int; for i := range n { s = append(s, i) }; return s }":                      "", // each body has its own
		"func f(s []int, n int) (t []int) { for i := range n { t[i] = s[i] }; return }":                             "",
	} {
		fn := found(t, src).files[0].functions[0]
		if got := fn.stackAppendTo(fn.parameters()); got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}
