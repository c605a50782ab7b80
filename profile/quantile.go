package profile

import "math"

// QuantileNS estimates the q-quantile of the times of calls, 0 ≤ q ≤ 1: the time at rank ⌈q·n⌉ of n
// times in ascending order (rank 1 for q = 0). It returns 0 if there are no times.
//
// The counts give the bucket of this rank. The distribution within the bucket is estimated from the
// bucket's two sums, the shortest and longest time, and whether the neighbouring buckets are empty
// (bucketSpread.at). The estimate is exact for the first and last time, equal times, and a bucket
// with two times; for smooth distributions the error is a few percent.
//
// The estimate always lies within QuantileBounds, like the exact value. Both are in the same
// bucket, so the estimate is more than half and less than twice the exact value (except for times
// of up to 1 ns).
func (m *Marker) QuantileNS(q float64) float64 {
	est, _, _ := m.quantile(q)
	return est
}

// QuantileBounds returns the closed interval that is guaranteed to contain the q-quantile as
// QuantileNS defines it: no times with the quantile outside could have the bucket's sums.
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

// rank returns the bucket with the q-quantile, and the rank of the quantile in it, 1 ≤ j ≤ its
// Count. The marker must have timed calls.
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
	return last, m.Buckets[last].Count // counts exceed 2^64
}

// inBucket estimates and bounds the time of rank j in Buckets[i], 1 ≤ j ≤ its Count.
//
// The bounds: of c times with mean a and standard deviation s, let x be the j-th. The upper c-j+1
// times are at least x, hence so is their mean. Two groups with shares u and 1-u whose means differ
// by d contribute u(1-u)d² to the variance, which must not exceed s²; so the mean of the upper
// group is at most a + s·√((1-u)/u) with u = (c-j+1)/c. The lower bound follows in the same way
// from the lower j times.
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

	// Allow for the rounding error of the bounds, a few units in the last place.
	above, below := float64(b.Count-j), float64(j-1)
	slack := 1e-12 * s.mean
	lo = max(s.lo, min(s.hi, s.mean-s.dev*math.Sqrt(above/(below+1))-slack))
	hi = min(s.hi, max(lo, s.mean+s.dev*math.Sqrt(below/(above+1))+slack))
	return min(max(est, lo), hi), lo, hi
}

// spreadOf returns the known properties of the times in Buckets[i].
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

// bucketSpread has the known properties of the times in a bucket.
type bucketSpread struct {
	n, mean, dev float64
	lo, hi       float64 // bounds of the times
	below, above bool    // there are times at or just below lo, and at or just above hi
}

// fewTimes is the number of times below which no shape is recognized. The times are away from an
// end of the bucket if their mean is that many standard deviations from it.
const (
	fewTimes = 8
	away     = 2.2
)

// at estimates the time of rank j, 1 ≤ j ≤ n, from the usual shapes of distributions in programs
// with this mean and deviation:
//
//   - A smooth piece, if there are times beyond both ends of the bucket, or the shortest or
//     longest time is in it: with x from -1 for the first to 1 for the last rank,
//     mean + b·P1(x) + c·P2(x) + d·P3(x) in Legendre polynomials, whose mean squares are 1/3, 1/5
//     and 1/7, so that dev² = b²/3 + c²/5 + d²/7. It goes from one end to the other, which
//     determines c and d. If the result is not ascending, the next shapes are tried.
//   - A hump away from both ends is normal.
//   - A distribution that starts at one end and thins out towards the other is a Weibull
//     distribution from that end on; exponential if dev equals the distance of the mean from it.
//   - Anything else, and fewer than fewTimes, is uniform.
func (s *bucketSpread) at(j float64) float64 {
	if s.dev == 0 || s.n < 2 { // a single time has no deviation, unless the data are damaged
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
	// n equally spaced times have a standard deviation of √((1-1/n²)/3) times half their range.
	return s.mean + s.dev*math.Sqrt(3/(1-1/(s.n*s.n)))*x
}

// smooth returns the coefficients of a smooth piece from lo to hi with mean 0 (see
// bucketSpread.at). ok is false if it is not ascending.
func smooth(lo, hi, dev float64) (b, c, d float64, ok bool) {
	// c = (hi+lo)/2, b+d = (hi-lo)/2 = h, and b²/3 + (h-b)²/7 = dev² - c²/5: a quadratic equation
	// for b, of which the larger root gives the smoother curve.
	h := (hi - lo) / 2
	c = (hi + lo) / 2
	root := h*h/49 - 10./21*(h*h/7+c*c/5-dev*dev)
	if !(root >= 0) {
		return 0, 0, 0, false
	}
	b = (h/7 + math.Sqrt(root)) * 21 / 10
	d = h - b
	least := b - 3*math.Abs(c) + 6*d // minimum of the derivative b + 3cx + d(15x²-3)/2: at an end,
	if vertex := -c / (5 * d); d > 0 && math.Abs(vertex) < 1 {
		least = b + 3*c*vertex + d*(15*vertex*vertex-3)/2 // or between
	}
	return b, c, d, least >= 0
}

// weibull returns the u-quantile of the Weibull distribution with this mean and standard deviation.
// Its exponent, which has no closed form, is approximated as in Justus, Hargraves, Mikhail and
// Graber, Methods for Estimating Wind Speed Frequency Distributions, J. Appl. Meteorol. 17 (1978),
// 350.
func weibull(u, mean, dev float64) float64 {
	p := min(math.Pow(dev/mean, 1.086), 50) // beyond 50 all times are at the end, and the power would overflow
	return mean / math.Gamma(1+p) * math.Pow(-math.Log1p(-u), p)
}
