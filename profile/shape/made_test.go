package shape_test

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/markgen/markgen/profile"
)

// A call has an input size, -1 if none, and a time.
type call struct {
	size int
	ns   float64
}

// marker returns the marker with these calls. first says that the first call is the first of its
// process.
func marker(first bool, list ...call) *profile.Marker {
	m := &profile.Marker{Name: "p.F", Kind: "func", MinNS: math.MaxUint64}
	buckets := map[uint8]*profile.Bucket{}
	sizes := map[uint8]*profile.SizeBucket{}
	for i, c := range list {
		ns := uint64(max(c.ns, 0) + 0.5)
		k := uint8(max(bits.Len64(ns), 1) - 1)
		if buckets[k] == nil {
			buckets[k] = &profile.Bucket{K: k}
		}
		add(buckets[k], ns)
		if i == 0 && first {
			m.First = profile.Firsts{MinNS: ns, MaxNS: ns, Buckets: []profile.Bucket{*buckets[k]}}
		}
		m.Count++
		m.MinNS, m.MaxNS = min(m.MinNS, ns), max(m.MaxNS, ns)
		if c.size < 0 {
			continue
		}
		k = uint8(bits.Len(uint(c.size)))
		if sizes[k] == nil {
			sizes[k] = &profile.SizeBucket{K: k}
		}
		b := sizes[k]
		b.Count++
		b.SumSize = b.SumSize.Add(profile.Uint128{Lo: uint64(c.size)})
		b.SumNS += ns
		b.SumSq = b.SumSq.Add(profile.Square(ns))
		log := uint64(math.Log2(float64(ns)+16) * 256)
		b.Logged++
		b.SumLog += log
		b.SumLogSq += log * log
	}
	for k := range uint8(64) {
		if b := buckets[k]; b != nil {
			m.Buckets = append(m.Buckets, *b)
		}
		if b := sizes[k]; b != nil {
			m.Sizes = append(m.Sizes, *b)
		}
	}
	return m
}

func add(b *profile.Bucket, ns uint64) {
	b.Count++
	b.SumNS += ns
	b.SumSq = b.SumSq.Add(profile.Square(ns))
}

// A law returns the time of a call with an input of the given size, without noise.
type law func(n float64) float64

// noise turns a true time into a measured one.
type noise struct {
	scatter float64 // standard deviation of the logarithm
	long    float64 // fraction of calls that the machine delays
	wait    float64 // mean delay, ns
	bias    float64 // standard deviation of the log error common to an octave of sizes
}

// grown returns calls with sizes between two bounds, count in each octave.
func grown(r *rand.Rand, f law, z noise, lo, hi, count int) (list []call) {
	for size := lo; size <= hi; size *= 2 {
		bias := math.Exp(z.bias * r.NormFloat64())
		for range count {
			n := size + r.IntN(size)
			ns := f(float64(n)) * bias * math.Exp(z.scatter*r.NormFloat64())
			if r.Float64() < z.long {
				ns += z.wait * r.ExpFloat64()
			}
			list = append(list, call{n, ns})
		}
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
