package trace

import "math"

// A Spread is a distribution of times: their number, mean and standard deviation, and counts in
// buckets, 64 per factor of two. The zero value is empty.
type Spread struct {
	Count        uint64
	MinNS, MaxNS float64

	mean, m2 float64
	buckets  []uint64 // allocated by the first Add
}

// Buckets are numbered by the exponent and the upper six bits of the mantissa of a float64, from
// 2^-10 ns to 2^54 ns.
const (
	spreadSub   = 6
	spreadLeast = -10
	spreadMost  = 54
	spreadShift = 52 - spreadSub
	spreadFirst = (1023 + spreadLeast) << spreadSub
	spreadLen   = (spreadMost - spreadLeast) << spreadSub
)

// Add adds a time of at least 0 ns. Mean and variance are updated by Welford's algorithm (Knuth,
// The Art of Computer Programming 2, 4.2.2).
func (s *Spread) Add(ns float64) {
	if s.buckets == nil {
		s.buckets = make([]uint64, spreadLen)
		s.MinNS = math.Inf(1)
	}
	s.Count++
	d := ns - s.mean
	s.mean += d / float64(s.Count)
	s.m2 += d * (ns - s.mean)
	if ns < s.MinNS {
		s.MinNS = ns
	}
	if ns > s.MaxNS {
		s.MaxNS = ns
	}
	s.buckets[spreadBucket(ns)]++
}

func spreadBucket(ns float64) int {
	return min(max(int(math.Float64bits(ns)>>spreadShift)-spreadFirst, 0), spreadLen-1)
}

// spreadLo returns the lower bound of a bucket.
func spreadLo(k int) float64 {
	return math.Float64frombits(uint64(k+spreadFirst) << spreadShift)
}

// MeanNS returns the mean; 0 if there are no times.
func (s *Spread) MeanNS() float64 { return s.mean }

// StddevNS returns the population standard deviation; 0 if there are no times.
func (s *Spread) StddevNS() float64 {
	if s.Count == 0 {
		return 0
	}
	return math.Sqrt(s.m2 / float64(s.Count))
}

// QuantileNS estimates the q-quantile, 0 ≤ q ≤ 1: the time of rank ⌈q·n⌉ in ascending order. The
// bucket is exact; within it, times are assumed to be uniformly distributed. The error is less than
// 1/64, for times between a thousandth of a ns and half a year.
func (s *Spread) QuantileNS(q float64) float64 {
	if s.Count == 0 {
		return 0
	}
	rank := uint64(1)
	if r := math.Ceil(q * float64(s.Count)); r >= float64(s.Count) {
		return s.MaxNS
	} else if r > 1 {
		rank = uint64(r)
	}
	for k, n := range s.buckets {
		if rank <= n {
			lo, hi := spreadLo(k), spreadLo(k+1)
			if k == 0 {
				lo = 0
			}
			est := lo + (hi-lo)*(float64(rank)-0.5)/float64(n)
			return min(max(est, s.MinNS), s.MaxNS)
		}
		rank -= n
	}
	return s.MaxNS
}

// An Octave is the number of times from LoNS to twice that, exclusive; the first octave begins at
// 0.
type Octave struct {
	LoNS  float64
	Count uint64
}

// Octaves returns the counts by factors of two, from the first nonempty to the last nonempty one.
// Times below 1 ns are in the lowest possible octave.
func (s *Spread) Octaves() []Octave {
	var list []Octave
	var low uint64
	for k := 0; k < len(s.buckets); k += 1 << spreadSub {
		n := uint64(0)
		for _, c := range s.buckets[k : k+1<<spreadSub] {
			n += c
		}
		lo := math.Exp2(float64(spreadLeast + k>>spreadSub))
		if lo < 1 {
			low += n
			continue
		}
		if lo == 1 {
			n, lo = n+low, 0
		}
		list = append(list, Octave{lo, n})
	}
	for len(list) > 0 && list[len(list)-1].Count == 0 {
		list = list[:len(list)-1]
	}
	for len(list) > 0 && list[0].Count == 0 {
		list = list[1:]
	}
	return list
}
