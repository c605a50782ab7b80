package profile

import (
	"math"
	"math/bits"
)

// TotalNS is the time spent in the marker: the sum of the times of all passages,
// less that of passages inside another on the same goroutine, so that recursion
// counts once.
func (m *Marker) TotalNS() uint64 {
	sum := m.SumNS()
	return sum - min(sum, m.NestedNS)
}

// SumNS is the sum of the times of all passages, recursive ones in their own time
// and in that of the outer passage.
func (m *Marker) SumNS() uint64 {
	var sum uint64
	for _, b := range m.Buckets {
		sum = Add64(sum, b.SumNS)
	}
	return sum
}

// Timed is the number of passages whose time is known: Count, or 0 for a
// marker that only counts.
func (m *Marker) Timed() uint64 {
	var n uint64
	for _, b := range m.Buckets {
		n = Add64(n, b.Count)
	}
	return n
}

// SumSq is the sum of the squares of the times of all passages, ns².
func (m *Marker) SumSq() Uint128 {
	var sum Uint128
	for _, b := range m.Buckets {
		sum = sum.Add(b.SumSq)
	}
	return sum
}

// MeanNS is the mean time of a passage; 0 when there is none.
func (m *Marker) MeanNS() float64 {
	n := m.Timed()
	if n == 0 {
		return 0
	}
	return float64(m.SumNS()) / float64(n)
}

// StddevNS is the standard deviation of the passages' times from their mean;
// 0 when there is none. All passages are known, so it is that of the whole
// population (divided by n, not n-1).
func (m *Marker) StddevNS() float64 {
	return stddev(m.Timed(), m.SumNS(), m.SumSq())
}

// stddev is the square root of (n·Σx² − (Σx)²)/n². The difference of the two
// products is exact, in three words: in floating point, times that vary little
// about a large mean would lose all their digits there.
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
	if c != 0 { // below 0: only in a file that is read while it is written
		return 0
	}
	d := math.Ldexp(float64(high), 128) + math.Ldexp(float64(middle), 64) + float64(low)
	return math.Sqrt(d) / float64(n)
}
