package runfile

import (
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
)

// firsts assigns the durations of first calls, which are in alias blocks, to their markers. A first
// call is also among the calls in the buckets, unless it was being written while the file was read,
// or the file could not grow.
func (r *run) firsts() {
	for i := range r.aliases {
		a := &r.aliases[i]
		if a.first == 0 || a.to == layout.NoMarker {
			continue
		}
		m := r.totals.at(a.to)
		if m == nil {
			continue
		}
		ns := a.first - 1
		k := profile.BucketOf(ns)
		if len(m.First.Buckets) > 0 || !slices.ContainsFunc(m.Buckets, func(b profile.Bucket) bool { return b.K == k }) {
			if !r.Alive && !r.header.partial() {
				r.damagedAt(r.damaged(a.offset, "a first scope of marker number %d that is not among its scopes; it is left out", a.to))
			}
			continue
		}
		m.First = profile.Firsts{MinNS: ns, MaxNS: ns, Buckets: []profile.Bucket{{K: k, Count: 1, SumNS: ns, SumSq: profile.Square(ns)}}}
	}
}
