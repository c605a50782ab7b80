package profile

import (
	"math/bits"
	"slices"
)

// Firsts are the first passages of a marker, one for each process in which it is known: in a
// process that collected from its start, the first passage to end that is not inside another of
// the marker. They are among the marker's passages as well. None is known of a marker of which
// one passage in so many was timed, that was turned on later, or whose collection was interrupted before it was passed.
type Firsts struct {
	MinNS   uint64   // 0 when there is none
	MaxNS   uint64   // 0 when there is none
	Buckets []Bucket // those with a count, by K
}

// Count is their number.
func (f *Firsts) Count() (n uint64) {
	for i := range f.Buckets {
		n = Add64(n, f.Buckets[i].Count)
	}
	return n
}

// SumNS is the sum of their times.
func (f *Firsts) SumNS() (ns uint64) {
	for i := range f.Buckets {
		ns = Add64(ns, f.Buckets[i].SumNS)
	}
	return ns
}

// MeanNS is the mean of their times; 0 when there is none.
func (f *Firsts) MeanNS() float64 {
	if len(f.Buckets) == 0 {
		return 0
	}
	return float64(f.SumNS()) / float64(f.Count())
}

// StddevNS is the standard deviation of their times from the mean, divided by n; 0 when
// there is none.
func (f *Firsts) StddevNS() float64 {
	var sq Uint128
	for i := range f.Buckets {
		sq = sq.Add(f.Buckets[i].SumSq)
	}
	return stddev(f.Count(), f.SumNS(), sq)
}

// add adds those of g, which are not changed and not shared.
func (f *Firsts) add(g *Firsts) {
	switch {
	case len(g.Buckets) == 0:
	case len(f.Buckets) == 0:
		*f = g.clone()
	default:
		f.MinNS, f.MaxNS = min(f.MinNS, g.MinNS), max(f.MaxNS, g.MaxNS)
		f.Buckets = addBuckets(f.Buckets, g.Buckets)
	}
}

// Sound says whether the shortest and the longest are of the first and the last bucket.
func (f *Firsts) Sound() bool {
	last := len(f.Buckets) - 1
	return last >= 0 && f.MinNS <= f.MaxNS && BucketOf(f.MinNS) == f.Buckets[0].K && BucketOf(f.MaxNS) == f.Buckets[last].K
}

// clone is a copy that shares no memory.
func (f *Firsts) clone() Firsts { return Firsts{f.MinNS, f.MaxNS, slices.Clone(f.Buckets)} }

// BucketOf is the number of the bucket for a time.
func BucketOf(ns uint64) uint8 { return uint8(max(bits.Len64(ns), 1) - 1) }
