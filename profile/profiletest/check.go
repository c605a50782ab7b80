package profiletest

import (
	"math"
	"math/big"
	"testing"

	"github.com/markgen/markgen/profile"
)

// Check checks that a profile is consistent: sums equal the sums of buckets, buckets are sorted and
// have times within their bounds, and markers and blocks are sorted.
func Check(t testing.TB, p *profile.Profile) {
	t.Helper()
	for i, m := range p.Markers {
		if i > 0 && (p.Markers[i-1].Name > m.Name || p.Markers[i-1].ID == m.ID) {
			t.Errorf("markers %q, %q", p.Markers[i-1].Name, m.Name)
		}
		timed, total, squares := uint64(0), uint64(0), new(big.Int)
		for k, b := range m.Buckets {
			if k > 0 && m.Buckets[k-1].K >= b.K || b.Count == 0 {
				t.Errorf("%s: buckets %v", m.Name, m.Buckets)
			}
			if mean := float64(b.SumNS) / float64(b.Count); mean < float64(b.LoNS()) || mean >= float64(b.HiNS()) {
				t.Errorf("%s: bucket %v has the mean %v", m.Name, b, mean)
			}
			timed += b.Count
			total += b.SumNS
			squares.Add(squares, b.SumSq.Big())
		}
		if m.Timed() != timed || m.Count < timed || m.TotalNS() != total || m.SumSq().Big().Cmp(squares) != 0 {
			t.Errorf("%s: count %d, timed %d, total %d, squares %v; of the buckets %d, %d, %v",
				m.Name, m.Count, m.Timed(), m.TotalNS(), m.SumSq(), timed, total, squares)
		}
		if timed > 0 && (float64(m.MinNS) > m.MeanNS() || m.MeanNS() > float64(m.MaxNS)) {
			t.Errorf("%s: min %d, mean %v, max %d", m.Name, m.MinNS, m.MeanNS(), m.MaxNS)
		}
	}
}

// CheckAny checks what must be true of any profile, even with implausible data.
func CheckAny(t testing.TB, p *profile.Profile) {
	for i := range p.Markers {
		m := &p.Markers[i]
		if m.Name == "" || m.Kind == "" || m.ID == 0 {
			t.Errorf("marker %+v", m)
		}
		for _, b := range m.Buckets {
			if b.Count == 0 || b.K > 63 {
				t.Errorf("%s: bucket %+v", m.Name, b)
			}
		}
		for _, q := range []float64{0, 0.5, 0.99, 1} {
			lo, hi := m.QuantileBounds(q)
			if est := m.QuantileNS(q); !(lo <= est && est <= hi) {
				t.Errorf("%s: the %v-quantile %v is not within [%v, %v]", m.Name, q, est, lo, hi)
			}
		}
		if v := m.MeanNS() + m.StddevNS(); math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s: mean %v, deviation %v", m.Name, m.MeanNS(), m.StddevNS())
		}
	}
}
