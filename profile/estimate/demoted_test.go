package estimate

import (
	"testing"

	"github.com/markgen/markgen/profile"
)

func bucket(k uint8, n, ns uint64) profile.Bucket {
	return profile.Bucket{K: k, Count: n, SumNS: n * ns, SumSq: profile.Uint128{Lo: n * ns * ns}}
}

// The mean of the timed scopes is used for all scopes, but the longest ones are not scaled.
func TestDemoted(t *testing.T) {
	m := profile.Marker{Count: 10_000, SelfNS: 2000*6 + 5_000_000, Buckets: []profile.Bucket{bucket(3, 2000, 10), bucket(23, 1, 10_000_000)}}
	Demoted(&m)
	if m.Count != 10_000 || m.Timed() != 10_000 || m.Measured() != 2001 || m.CountSE() != 0 || !m.Demoted() || m.Sampled() {
		t.Errorf("%d scopes, %d with times, %d of them measured", m.Count, m.Timed(), m.Measured())
	}
	if got, want := m.SumNS(), uint64(9999*10+10_000_000); got != want {
		t.Errorf("they took %d ns, want %d", got, want)
	}
	if m.MaxNS != 0 && m.MaxNS != 10_000_000 {
		t.Errorf("the longest took %d ns", m.MaxNS)
	}

	m = profile.Marker{Count: 500, Buckets: nil}
	if Demoted(&m); m.Count != 500 || m.Timed() != 0 {
		t.Errorf("without times: %d scopes, %d with times", m.Count, m.Timed())
	}
}

// Times that are multiplied by a factor stay in buckets that can hold them, and their error is that of
// the samples.
func TestSampled(t *testing.T) {
	for _, by := range []float64{0.1, 0.7, 1, 3, 1000} {
		m := profile.Marker{Count: 11, SelfNS: 60, MinNS: 10, MaxNS: 900, Buckets: []profile.Bucket{bucket(3, 10, 10), bucket(9, 1, 900)}}
		Sampled(&m, Times{Sum: 1000 * by, Total: 800 * by, Self: 60 * by}, 100)
		near := func(what string, got uint64, want float64) {
			if float64(got) < want-12 || float64(got) > want+12 {
				t.Errorf("%s: %d, want %.0f", what, got, want)
			}
		}
		near("sum", m.SumNS(), 1000*by)
		near("total", m.TotalNS(), 800*by)
		near("self", m.SelfNS, 60*by)
		near("shortest", m.MinNS, 10*by)
		if m.Timed() != 11 {
			t.Errorf("%d scopes, want 11", m.Timed())
		}
		m.Samples = 11
		if se, ok := m.MeanSE(); !ok || se < 0.09*m.MeanNS() || se > 0.11*m.MeanNS() {
			t.Errorf("standard error %.1f of %.1f ns, want 0.1 of it", se, m.MeanNS())
		}
		for _, b := range m.Buckets {
			if !b.Sound() {
				t.Errorf("bucket %+v holds what it can't", b)
			}
		}
	}
}
