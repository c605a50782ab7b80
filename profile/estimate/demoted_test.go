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

// Data timed before the first demotion are added to the mean of the scopes timed later, times the
// count of the rest.
func TestTimedAgain(t *testing.T) {
	bucket := func(k uint8, n, ns uint64) profile.Bucket {
		return profile.Bucket{K: k, Count: n, SumNS: n * ns, SumSq: profile.Uint128{Lo: n * ns * ns}}
	}
	marker := func() profile.Marker {
		return profile.Marker{Count: 12_000, SelfNS: 1000*8 + 500*400, Buckets: []profile.Bucket{bucket(3, 1000, 10), bucket(8, 500, 400)}}
	}
	early := profile.Marker{SelfNS: 1000 * 8, Buckets: []profile.Bucket{bucket(3, 1000, 10)}}
	m := marker()
	Short(&m, &early)
	if got, want := m.SumNS(), uint64(1000*10+11_000*400); got != want || m.SelfNS != 1000*8+11_000*400 {
		t.Errorf("they took %d ns, %d of their own; want %d and %d", got, m.SelfNS, want, 1000*8+11_000*400)
	}
	if m.Count != 12_000 || m.Timed() != 12_000 || m.Measured() != 1500 {
		t.Errorf("%d scopes, %d with times, %d of them measured", m.Count, m.Timed(), m.Measured())
	}
	for what, bad := range map[string]*profile.Marker{
		"nothing":         nil,
		"more than all":   {Buckets: []profile.Bucket{bucket(3, 1001, 10)}},
		"too long a time": {Buckets: []profile.Bucket{{K: 3, Count: 1000, SumNS: 1000 * 11}}},
		"nearly all":      {Buckets: []profile.Bucket{bucket(3, 1000, 10), bucket(8, 300, 400)}},
	} {
		m := marker()
		if Short(&m, bad); m.SumNS() != 8000*10+4000*400 {
			t.Errorf("%s: they took %d ns, want the mean of all that were timed", what, m.SumNS())
		}
	}
}
