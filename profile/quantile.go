package profile

import "math"

// QuantileNS estimates the q-quantile of the passages' times, 0 ≤ q ≤ 1: the
// time of the passage at rank ⌈q·n⌉ of the n passages in ascending order (the
// first for q = 0). It is 0 when there is no passage.
//
// The bucket that holds this rank is known from the counts. Within it the
// times are taken to be spread evenly, about the mean and as wide as the
// deviation that the bucket's two sums give. Equal times give their exact
// value, and evenly spread ones an estimate within a few hundredths.
//
// Whatever the times are, the estimate lies within QuantileBounds, as the
// exact value does. As both are in the same bucket, the estimate is always more
// than half and less than twice the exact value (times of 1 ns and less aside).
func (m *Marker) QuantileNS(q float64) float64 {
	est, _, _ := m.quantile(q)
	return est
}

// QuantileBounds returns the interval that is sure to hold the q-quantile, both
// ends included, as QuantileNS defines it: whatever the single times were, they could not add
// up to the bucket's sums if the quantile lay outside.
func (m *Marker) QuantileBounds(q float64) (lo, hi float64) {
	_, lo, hi = m.quantile(q)
	return lo, hi
}

func (m *Marker) quantile(q float64) (est, lo, hi float64) {
	n := m.Timed()
	if n == 0 {
		return 0, 0, 0
	}
	rank := uint64(1)
	if r := math.Ceil(q * float64(n)); r >= float64(n) {
		rank = n
	} else if r > 1 {
		rank = uint64(r)
	}
	for _, b := range m.Buckets {
		if rank <= b.Count {
			return m.inBucket(b, rank)
		}
		rank -= b.Count
	}
	return float64(m.MaxNS), float64(m.MaxNS), float64(m.MaxNS) // counts past 2^64
}

// inBucket estimates and bounds the time of passage j of the bucket, 1 ≤ j ≤
// b.Count, in ascending order.
//
// The bounds: of c times with mean a and standard deviation s, let the j-th be
// x. The upper c-j+1 times are x or more, hence so is their mean. If two groups
// of the shares u and 1-u have means that differ by d, this alone gives the
// variance u(1-u)d², which must not exceed s²; so the upper group's mean is
// at most a + s·√((1-u)/u) with u = (c-j+1)/c. The lower bound is the same
// from the other side, for the lower j times.
func (m *Marker) inBucket(b Bucket, j uint64) (est, lo, hi float64) {
	lo, hi = float64(b.LoNS()), float64(b.HiNS()-1)
	if x := float64(m.MinNS); lo < x && x <= hi {
		lo = x
	}
	if x := float64(m.MaxNS); lo <= x && x < hi {
		hi = x
	}
	c := float64(b.Count)
	mean := float64(b.SumNS) / c
	dev := stddev(b.Count, b.SumNS, b.SumSq)
	above, below := float64(b.Count-j), float64(j-1)

	// √(12)/2 of the deviation to each side is the even spread with that deviation.
	est = mean + dev*math.Sqrt(3)*(2*(below+0.5)/c-1)

	// The bounds' own rounding: a few units in the last place.
	slack := 1e-12 * mean
	lo = max(lo, min(hi, mean-dev*math.Sqrt(above/(below+1))-slack))
	hi = min(hi, max(lo, mean+dev*math.Sqrt(below/(above+1))+slack))
	return min(max(est, lo), hi), lo, hi
}
