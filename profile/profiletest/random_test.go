package profiletest_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
)

// The data of Random are plausible.
func TestRandom(t *testing.T) {
	p := profiletest.Random(5000, 1)
	if diff := cmp.Diff(p, profiletest.Random(5000, 1)); diff != "" {
		t.Errorf("the same arguments, and another profile:\n%s", diff)
	}
	seen := map[string]bool{}
	for i := range p.Markers {
		m := &p.Markers[i]
		if i > 0 && p.Markers[i-1].Name >= m.Name {
			t.Errorf("%s stands after %s", m.Name, p.Markers[i-1].Name)
		}
		check(t, m)
		for c := range m.Callers {
			check(t, &m.Callers[c].Marker)
		}
		seen[m.Kind] = true
		seen["never"] = seen["never"] || m.Count == 0
		seen["once"] = seen["once"] || m.Count == 1
		seen["often"] = seen["often"] || m.Count > 1e6
		seen["callers"] = seen["callers"] || len(m.Callers) > 1
	}
	for _, what := range []string{"func", "loop", "branch", "point", "never", "once", "often", "callers"} {
		if !seen[what] {
			t.Errorf("there is none of %s", what)
		}
	}
}

func check(t *testing.T, m *profile.Marker) {
	t.Helper()
	if m.Timed() != m.Count && !m.CountOnly || m.SelfNS > m.SumNS() || m.MinNS > m.MaxNS {
		t.Errorf("%s: %d scopes, %d timed, self %d of %d, from %d to %d", m.Name, m.Count, m.Timed(), m.SelfNS, m.SumNS(), m.MinNS, m.MaxNS)
	}
	for _, b := range m.Buckets {
		mean := float64(b.SumNS) / float64(b.Count)
		if mean < float64(b.LoNS()) || mean >= float64(b.HiNS()) {
			t.Errorf("%s: mean %g in the bucket from %d", m.Name, mean, b.LoNS())
		}
	}
	if len(m.Buckets) > 0 && !slices.ContainsFunc([]float64{0.01, 0.5, 0.99}, func(q float64) bool { return m.QuantileNS(q) > 0 }) {
		t.Errorf("%s has no quantile", m.Name)
	}
}
