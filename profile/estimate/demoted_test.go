package estimate

import (
	"testing"

	"github.com/markgen/markgen/profile"
)

// The mean of the timed scopes is used for all scopes, but the longest ones are not scaled.
func TestFromDemoted(t *testing.T) {
	bucket := func(k uint8, n, ns uint64) profile.Bucket {
		return profile.Bucket{K: k, Count: n, SumNS: n * ns, SumSq: profile.Uint128{Lo: n * ns * ns}}
	}
	m := profile.Marker{Count: 10_000, SelfNS: 2000*6 + 5_000_000, Buckets: []profile.Bucket{bucket(3, 2000, 10), bucket(23, 1, 10_000_000)}}
	Short(&m, nil)
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
	if Short(&m, nil); m.Count != 500 || m.Timed() != 0 {
		t.Errorf("without times: %d scopes, %d with times", m.Count, m.Timed())
	}
}

// What the runtime has estimated is added to the scopes since, of which those timed are a sample.
func TestTimedAgain(t *testing.T) {
	bucket := func(k uint8, n, ns uint64) profile.Bucket {
		return profile.Bucket{K: k, Count: n, SumNS: n * ns, SumSq: profile.Uint128{Lo: n * ns * ns}}
	}
	marker := func(later uint64) *profile.Marker {
		return &profile.Marker{Count: 12_000, SelfNS: 1000*8 + later*400, Buckets: []profile.Bucket{bucket(3, 1000, 10), bucket(8, later, 400)}}
	}
	sample := func() *Sample {
		return &Sample{Scopes: 2000, SelfNS: 2000 * 8, TimedSelfNS: 1000 * 8, Buckets: []profile.Bucket{bucket(3, 2000, 10)}, Timed: []profile.Bucket{bucket(3, 1000, 10)}}
	}
	m := marker(500)
	Short(m, sample())
	if got, want := m.SumNS(), uint64(2000*10+10_000*400); got != want || m.SelfNS != 2000*8+10_000*400 {
		t.Errorf("they took %d ns, %d of their own; want %d and %d", got, m.SelfNS, want, 2000*8+10_000*400)
	}
	if m.Count != 12_000 || m.Timed() != 12_000 || m.Measured() != 1500 {
		t.Errorf("%d scopes, %d with times, %d of them measured", m.Count, m.Timed(), m.Measured())
	}

	m = marker(100) // too few for a sample of 10,000
	if Short(m, sample()); m.SumNS() != 11_900*10+100*400 {
		t.Errorf("with few since: they took %d ns, want the mean of those before", m.SumNS())
	}

	mean := *marker(500)
	Short(&mean, nil)
	if mean.SumNS() != 8000*10+4000*400 {
		t.Errorf("without a sample: they took %d ns, want the mean of all that were timed", mean.SumNS())
	}
	for what, damage := range map[string]func(s *Sample){
		"more scopes than there are":   func(s *Sample) { s.Scopes = 12_001 },
		"more self time":               func(s *Sample) { s.TimedSelfNS = 1 << 40 },
		"more timed than there are":    func(s *Sample) { s.Timed[0].Count = 1001 },
		"fewer than were timed":        func(s *Sample) { s.Buckets[0].Count = 999 },
		"too long a time":              func(s *Sample) { s.Buckets[0].SumNS = 1 << 40 },
		"a bucket that is not in cell": func(s *Sample) { s.Buckets[0].K = 5 },
		"nothing":                      func(s *Sample) { *s = Sample{} },
	} {
		m, s := marker(500), sample()
		damage(s)
		if Short(m, s); m.SumNS() != mean.SumNS() {
			t.Errorf("%s: they took %d ns, want the mean of all that were timed", what, m.SumNS())
		}
	}
}

// Times that are multiplied by a factor stay in buckets that can hold them.
func TestShorten(t *testing.T) {
	m := profile.Marker{Count: 11, SelfNS: 60, MinNS: 10, MaxNS: 900, Buckets: []profile.Bucket{{K: 3, Count: 10, SumNS: 100, SumSq: profile.Uint128{Lo: 1000}}, {K: 9, Count: 1, SumNS: 900, SumSq: profile.Uint128{Lo: 900 * 900}}}}
	Shorten(&m, profile.Ratio(1, 10))
	if m.SumNS() != 100 || m.SelfNS != 60 || m.Timed() != 11 {
		t.Errorf("%d scopes of %d ns, %d of their own; want 11 of 100 and 60", m.Timed(), m.SumNS(), m.SelfNS)
	}
	if m.MinNS != 1 {
		t.Errorf("the shortest took %d ns, want 1", m.MinNS)
	}
	for _, b := range m.Buckets {
		if !b.Sound() {
			t.Errorf("bucket %+v holds what it can't", b)
		}
	}
}
