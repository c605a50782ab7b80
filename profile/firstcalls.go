package profile

import (
	"math/bits"
	"slices"
)

// Firsts are the first calls of a marker, one per process in which it is known: in a process that
// collected from its start, the first call to end that is not a recursive one. They are also
// counted among the marker's calls. The first call is unknown if the marker was sampled or turned
// on later, or if collection was interrupted before the call.
type Firsts struct {
	MinNS   uint64   // 0 if there is none
	MaxNS   uint64   // 0 if there is none
	Buckets []Bucket // nonempty buckets, sorted by K
}

// Count returns the number of first calls.
func (f *Firsts) Count() (n uint64) {
	for i := range f.Buckets {
		n = Add64(n, f.Buckets[i].Count)
	}
	return n
}

// SumNS returns the sum of their times.
func (f *Firsts) SumNS() (ns uint64) {
	for i := range f.Buckets {
		ns = Add64(ns, f.Buckets[i].SumNS)
	}
	return ns
}

// MeanNS returns the mean of their times; 0 if there is none.
func (f *Firsts) MeanNS() float64 {
	if len(f.Buckets) == 0 {
		return 0
	}
	return float64(f.SumNS()) / float64(f.Count())
}

// StddevNS returns the population standard deviation of their times; 0 if there is none.
func (f *Firsts) StddevNS() float64 {
	var sq Uint128
	for i := range f.Buckets {
		sq = sq.Add(f.Buckets[i].SumSq)
	}
	return stddev(f.Count(), f.SumNS(), sq)
}

// add adds g, which it neither modifies nor shares.
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

// Sound reports whether MinNS and MaxNS lie in the first and last bucket.
func (f *Firsts) Sound() bool {
	last := len(f.Buckets) - 1
	return last >= 0 && f.MinNS <= f.MaxNS && BucketOf(f.MinNS) == f.Buckets[0].K && BucketOf(f.MaxNS) == f.Buckets[last].K
}

// clone returns a deep copy.
func (f *Firsts) clone() Firsts { return Firsts{f.MinNS, f.MaxNS, slices.Clone(f.Buckets)} }

// BucketOf returns the number of the bucket for a time.
func BucketOf(ns uint64) uint8 { return uint8(max(bits.Len64(ns), 1) - 1) }
