package profile

import (
	"math"
	"math/bits"
)

// TotalNS returns the time spent in the marker: the sum of all times, without calls inside another
// call of it on the same goroutine, so that recursion counts once.
func (m *Marker) TotalNS() uint64 {
	sum := m.SumNS()
	return sum - min(sum, m.NestedNS)
}

// SumNS returns the sum of all times. The time of a recursive call is also in that of the outer
// call.
func (m *Marker) SumNS() uint64 {
	var sum uint64
	for _, b := range m.Buckets {
		sum = Add64(sum, b.SumNS)
	}
	return sum
}

// Timed returns the number of calls with a time: Count, 0 for a marker that only counts, or in
// between after a merge.
func (m *Marker) Timed() uint64 {
	var n uint64
	for _, b := range m.Buckets {
		n = Add64(n, b.Count)
	}
	return n
}

// SumSq returns the sum of the squares of all times, ns².
func (m *Marker) SumSq() Uint128 {
	var sum Uint128
	for _, b := range m.Buckets {
		sum = sum.Add(b.SumSq)
	}
	return sum
}

// MeanNS returns the mean time of a call; 0 if there are no times.
func (m *Marker) MeanNS() float64 {
	n := m.Timed()
	if n == 0 {
		return 0
	}
	return float64(m.SumNS()) / float64(n)
}

// StddevNS returns the standard deviation of the times; 0 if there are none. All calls are known,
// so it is that of the population (divided by n, not n-1).
func (m *Marker) StddevNS() float64 {
	return stddev(m.Timed(), m.SumNS(), m.SumSq())
}

// stddev returns √(n·Σx² − (Σx)²)/n. The difference is computed exactly in 192 bits: in floating
// point, times that vary little around a large mean would lose all digits.
func stddev(n, sum uint64, sumSq Uint128) float64 {
	if n == 0 {
		return 0
	}
	carry, low := bits.Mul64(n, sumSq.Lo)
	high, middle := bits.Mul64(n, sumSq.Hi)
	middle, c := bits.Add64(middle, carry, 0)
	high += c

	square := Square(sum)
	low, c = bits.Sub64(low, square.Lo, 0)
	middle, c = bits.Sub64(middle, square.Hi, c)
	high, c = bits.Sub64(high, 0, c)
	if c != 0 { // negative: only in a file that is read while it is written
		return 0
	}
	d := math.Ldexp(float64(high), 128) + math.Ldexp(float64(middle), 64) + float64(low)
	return math.Sqrt(d) / float64(n)
}
