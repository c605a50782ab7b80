package cell

import "github.com/markgen/markgen/runtime/layout"

// Times are the times of timed scopes in some cells, in ns.
type Times struct {
	N, NS, Self  uint64 // number, sum, and sum of self times
	Passes       uint64 // scopes that were not timed
	counts, sums [layout.NumBuckets]uint64
}

// Add adds what is in a cell.
//
//go:norace
func (t *Times) Add(c *Cell) {
	t.Self += c.Self
	t.Passes += c.Passes
	for i := range c.Groups {
		if g := c.Groups[i].P; g != nil {
			for k := range g.Buckets {
				b, at := &g.Buckets[k], i*layout.GroupBuckets+k
				t.counts[at] += b.Count
				t.sums[at] += b.Sum
				t.N += b.Count
				t.NS += b.Sum
			}
		}
	}
}

// trimmed is the number of scopes of which the longest is left out of TrimmedMeans.
const trimmed = 100

// TrimmedMeans returns the means of the time and self time of the scopes, without the highest buckets
// that together have at most one scope in trimmed. The self time of these is unknown; it is taken for the
// same part of their time as that of all scopes is of theirs.
//
//go:norace
func (t *Times) TrimmedMeans() (mean, self uint64) {
	if t.NS == 0 {
		return 0, 0
	}
	n, sum, most := t.N, t.NS, t.N/trimmed
	for k := layout.NumBuckets - 1; t.N-n+t.counts[k] <= most; k-- {
		n -= t.counts[k]
		sum -= t.sums[k]
	}
	return sum / n, uint64(float64(min(t.Self, t.NS)) * float64(sum) / float64(t.NS) / float64(n))
}
