package compare

import (
	"strings"
)

// loops is the sum of the loops of a function: scopes of all its loop markers on each side.
type loops struct {
	sides   [2]uint64
	edited  bool // some loop has no certain counterpart on the other side
	unknown bool // the number of some loop is not exact
}

// functionOf returns the name of the function that a marker is in.
func functionOf(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	function, _, _ := strings.Cut(name[slash:], ":")
	return name[:slash] + function
}

// iterations compares the sum of the loops of each function in which a loop was edited. An edited
// header has another ID:
//
//	for i := range 200 {    // old, 200 scopes
//	for i := range 300 {    // new, 300 scopes of a marker that the old program does not have
//
// Neither marker has a counterpart, or only a guess, and the growth would fail nothing.
func (c *Comparison) iterations(r *Result, least int) {
	sums := map[string]*loops{}
	for _, s := range c.markers {
		if s.kind != "loop" {
			continue
		}
		function := functionOf(s.name)
		sum := sums[function]
		if sum == nil {
			sum = &loops{}
			sums[function] = sum
		}
		sides := &s.exact.sides[0]
		for label := range sides {
			t := sides[label]
			sum.sides[label] += t.Lo
			sum.unknown = sum.unknown || s.sampled || s.off || t.Lo != t.Hi || t.runs > 0 && t.runs < least
			sum.edited = sum.edited || t.runs == 0
		}
		sum.edited = sum.edited || s.guess
	}
	for _, s := range c.sorted() {
		sum := sums[s.name]
		if s.kind != "func" || s.guess || sum == nil || !sum.edited || sum.unknown || min(sum.sides[Old], sum.sides[New]) == 0 {
			continue
		}
		if old, fresh := s.exact.sides[0][Old], s.exact.sides[0][New]; min(old.Hi, fresh.Hi) == 0 || min(old.runs, fresh.runs) < least {
			continue
		}
		if sum.sides[Old] == sum.sides[New] {
			r.Same++
			continue
		}
		n := Count{Place: s.place(), What: Iterations, Old: sum.sides[Old], New: sum.sides[New]}
		n.Verdict = c.judgeCount(n.Old, n.New)
		r.Counted = append(r.Counted, n)
	}
}
