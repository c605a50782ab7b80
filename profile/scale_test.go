package profile

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// Scaling keeps mean and deviation, and the total stays consistent with the buckets.
func TestScale(t *testing.T) {
	m := Marker{Count: 3, Buckets: []Bucket{{K: 8, Count: 1, SumNS: 267, SumSq: Uint128{Lo: 267 * 267}}, {K: 9, Count: 2, SumNS: 1200, SumSq: Uint128{Lo: 2 * 600 * 600}}}, SelfNS: 1000}
	m.Scale(big.NewRat(716, 10))
	if m.Count != 215 || m.Buckets[0].Count != 72 || m.Buckets[0].SumNS != 72*267 || m.Buckets[1].SumNS != 143*600 {
		t.Errorf("%d scopes, %+v", m.Count, m.Buckets)
	}
	one := Marker{Count: 1, Buckets: []Bucket{{K: 8, Count: 1, SumNS: 267, SumSq: Uint128{Lo: 267 * 267}}}}
	one.Scale(big.NewRat(716, 10))
	if one.Count != 72 || one.MeanNS() != 267 || one.StddevNS() != 0 {
		t.Errorf("%d scopes of %g ± %g ns", one.Count, one.MeanNS(), one.StddevNS())
	}
}

// Scaling keeps the typical time of a size, and the means of sizes and times.
func TestScaleSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		m := Marker{}
		for k := range uint8(12) {
			b := SizeBucket{K: k}
			for range 1 + r.IntN(200) {
				ns := 10 + r.Uint64N(1000)<<k
				log := uint64(math.Log2(float64(ns)+16) * 256)
				b.Count++
				b.SumSize = b.SumSize.Add(Uint128{Lo: b.LoSize()})
				b.SumNS += ns
				b.SumSq = b.SumSq.Add(Square(ns))
				b.Logged++
				b.SumLog += log
				b.SumLogSq += log * log
			}
			m.Sizes = append(m.Sizes, b)
		}
		was := slices.Clone(m.Sizes)
		by := big.NewRat(1000+r.Int64N(10_000), 100)
		m.Scale(by)
		factor, _ := by.Float64()
		for i := range m.Sizes {
			before, after := &was[i], &m.Sizes[i]
			if n := factor * float64(before.Count); math.Abs(float64(after.Count)-n) > 1 || after.Logged != after.Count {
				t.Errorf("%d scopes, %d logged, want about %v of both", after.Count, after.Logged, n)
			}
			ns, _, _ := before.TypicalNS()
			scaled, _, ok := after.TypicalNS()
			for _, pair := range [][2]float64{{ns, scaled}, {before.MeanNS(), after.MeanNS()}, {before.MeanSize(), after.MeanSize()}, {before.StddevNS(), after.StddevNS()}} {
				if !ok || math.Abs(pair[0]-pair[1]) > 0.01*(pair[0]+1) {
					t.Errorf("by %v: %+v became %+v", factor, before, after)
				}
			}
		}
	}
}
