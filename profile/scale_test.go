package profile

import (
	"math/big"
	"testing"
)

// What is multiplied keeps its mean and its deviation, and a total that fits its buckets.
func TestScale(t *testing.T) {
	m := Marker{Count: 3, Buckets: []Bucket{{K: 8, Count: 1, SumNS: 267, SumSq: Uint128{Lo: 267 * 267}}, {K: 9, Count: 2, SumNS: 1200, SumSq: Uint128{Lo: 2 * 600 * 600}}}, SelfNS: 1000}
	m.scale(big.NewRat(716, 10))
	if m.Count != 215 || m.Buckets[0].Count != 72 || m.Buckets[0].SumNS != 72*267 || m.Buckets[1].SumNS != 143*600 {
		t.Errorf("%d passages, %+v", m.Count, m.Buckets)
	}
	one := Marker{Count: 1, Buckets: []Bucket{{K: 8, Count: 1, SumNS: 267, SumSq: Uint128{Lo: 267 * 267}}}}
	one.scale(big.NewRat(716, 10))
	if one.Count != 72 || one.MeanNS() != 267 || one.StddevNS() != 0 {
		t.Errorf("%d passages of %g ± %g ns", one.Count, one.MeanNS(), one.StddevNS())
	}
}
