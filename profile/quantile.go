package profile

import "math"

// QuantileNS estimates the q-quantile of the passages' times, 0 ≤ q ≤ 1: the
// time of the passage at rank ⌈q·n⌉ of the n passages in ascending order (the
// first for q = 0). It is 0 when there is no passage.
//
// The bucket that holds this rank is known from the counts. How the times lie within it
// is estimated from the bucket's two sums, from the shortest and the longest time,
// and from whether there are times in the buckets beside it (bucketSpread.at). The first
// and the last passage, equal times, and two times in a bucket are exact; for smooth
// distributions the estimate is within a few hundredths.
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
	if m.Timed() == 0 {
		return 0, 0, 0
	}
	i, j := m.rank(q)
	return m.inBucket(i, j)
}

// rank returns which bucket holds the q-quantile of passages that there are, and
// which one in it that is, 1 ≤ j ≤ its Count, in ascending order.
func (m *Marker) rank(q float64) (i int, j uint64) {
	n := m.Timed()
	rank := uint64(1)
	if r := math.Ceil(q * float64(n)); r >= float64(n) {
		rank = n
	} else if r > 1 {
		rank = uint64(r)
	}
	last := len(m.Buckets) - 1
	for i, b := range m.Buckets {
		if rank <= b.Count {
			return i, rank
		}
		rank -= b.Count
	}
	return last, m.Buckets[last].Count // counts past 2^64
}

// inBucket estimates and bounds the time of passage j of Buckets[i], 1 ≤ j ≤
// its Count, in ascending order.
//
// The bounds: of c times with mean a and standard deviation s, let the j-th be
// x. The upper c-j+1 times are x or more, hence so is their mean. If two groups
// of the shares u and 1-u have means that differ by d, this alone gives the
// variance u(1-u)d², which must not exceed s²; so the upper group's mean is
// at most a + s·√((1-u)/u) with u = (c-j+1)/c. The lower bound is the same
// from the other side, for the lower j times.
func (m *Marker) inBucket(i int, j uint64) (est, lo, hi float64) {
	b := m.Buckets[i]
	s := m.spreadOf(i)
	if i == 0 && j == 1 && s.below {
		return s.lo, s.lo, s.lo
	}
	if i == len(m.Buckets)-1 && j == b.Count && s.above {
		return s.hi, s.hi, s.hi
	}
	est = s.at(float64(j))

	// The bounds' own rounding: a few units in the last place.
	above, below := float64(b.Count-j), float64(j-1)
	slack := 1e-12 * s.mean
	lo = max(s.lo, min(s.hi, s.mean-s.dev*math.Sqrt(above/(below+1))-slack))
	hi = min(s.hi, max(lo, s.mean+s.dev*math.Sqrt(below/(above+1))+slack))
	return min(max(est, lo), hi), lo, hi
}

// spreadOf is what is known of the times in Buckets[i].
func (m *Marker) spreadOf(i int) bucketSpread {
	b := m.Buckets[i]
	s := bucketSpread{
		n:    float64(b.Count),
		mean: float64(b.SumNS) / float64(b.Count),
		dev:  stddev(b.Count, b.SumNS, b.SumSq),
		lo:   float64(b.LoNS()),
		hi:   float64(b.HiNS() - 1),
	}
	if i > 0 {
		s.below = m.Buckets[i-1].K+1 == b.K
	} else if x := float64(m.MinNS); s.lo <= x && x <= s.hi {
		s.lo, s.below = x, true
	}
	if i < len(m.Buckets)-1 {
		s.above = b.K+1 == m.Buckets[i+1].K
	} else if x := float64(m.MaxNS); s.lo <= x && x <= s.hi {
		s.hi, s.above = x, true
	}
	return s
}

// bucketSpread is what is known of the times in a bucket.
type bucketSpread struct {
	n, mean, dev float64
	lo, hi       float64 // no time is less or more
	below, above bool    // there are times at lo, or just below it, and at hi or just above it
}

// Fewer than fewTimes show no form. Times are away from the ends of a bucket when
// their mean is by that many deviations.
const (
	fewTimes = 8
	away     = 2.2
)

// at estimates the time of passage j, 1 ≤ j ≤ n, in ascending order, from what a
// distribution with this mean and deviation looks like in most programs:
//
//   - A smooth piece of it, where times go on beyond both ends of the bucket, or the
//     shortest or longest of all is in it: with x from -1 for the first to 1 for the
//     last, mean + b·P1(x) + c·P2(x) + d·P3(x) in Legendre polynomials, whose squares
//     have the means 1/3, 1/5 and 1/7, so that dev² = b²/3 + c²/5 + d²/7. It begins at
//     one end and reaches the other, which settles c and d. Where that would not ascend it was no
//     smooth piece.
//   - A hump away from both ends is taken to be normal.
//   - What begins at one end and thins out towards the other is a Weibull
//     distribution from that end on: the exponential one if dev is the mean distance from there.
//   - The rest, and few times, are evenly spread.
func (s *bucketSpread) at(j float64) float64 {
	if s.dev == 0 || s.n < 2 { // one time has no deviation, unless the data are wrong
		return s.mean
	}
	x := (2*j-1)/s.n - 1
	lo, hi := s.lo-s.mean, s.hi-s.mean
	if s.n >= fewTimes {
		if s.below && s.above {
			if b, c, d, ok := smooth(lo, hi, s.dev); ok {
				return s.mean + b*x + c*(3*x*x-1)/2 + d*(5*x*x-3)*x/2
			}
		}
		switch {
		case min(-lo, hi) > away*s.dev:
			return s.mean + s.dev*math.Sqrt2*math.Erfinv(x)
		case s.below && (-lo <= hi || !s.above) && lo < 0:
			return s.lo + weibull((1+x)/2, -lo, s.dev)
		case s.above && (hi <= -lo || !s.below) && hi > 0:
			return s.hi - weibull((1-x)/2, hi, s.dev)
		}
	}
	// n times at even distances deviate by √((1-1/n²)/3) of the distance from their middle to an end of them all.
	return s.mean + s.dev*math.Sqrt(3/(1-1/(s.n*s.n)))*x
}

// smooth is a piece from lo to hi, whose mean is 0: b/3+… as in bucketSpread.at, if
// that ascends.
func smooth(lo, hi, dev float64) (b, c, d float64, ok bool) {
	// c = (hi+lo)/2, b+d = (hi-lo)/2 = h, and with that b²/3 + (h-b)²/7 = dev² - c²/5:
	// a quadratic equation for b, of whose roots the larger one bends less.
	h := (hi - lo) / 2
	c = (hi + lo) / 2
	root := h*h/49 - 10./21*(h*h/7+c*c/5-dev*dev)
	if !(root >= 0) {
		return 0, 0, 0, false
	}
	b = (h/7 + math.Sqrt(root)) * 21 / 10
	d = h - b
	least := b - 3*math.Abs(c) + 6*d // of the derivative, b + 3cx + d(15x²-3)/2: at an end,
	if vertex := -c / (5 * d); d > 0 && math.Abs(vertex) < 1 {
		least = b + 3*c*vertex + d*(15*vertex*vertex-3)/2 // or between
	}
	return b, c, d, least >= 0
}

// weibull is the u-quantile of the Weibull distribution with this mean and
// deviation. Its exponent, which has no closed form, is that of Justus, Hargraves,
// Mikhail and Graber, Methods for Estimating Wind Speed Frequency Distributions,
// J. Appl. Meteorol. 17 (1978), 350.
func weibull(u, mean, dev float64) float64 {
	p := min(math.Pow(dev/mean, 1.086), 50) // more than that is where the times at the end are, and does not overflow
	return mean / math.Gamma(1+p) * math.Pow(-math.Log1p(-u), p)
}
