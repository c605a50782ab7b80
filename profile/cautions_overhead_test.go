package profile

import (
	"strings"
	"testing"
)

// timedWith returns a marker with n calls of ns each, from which an overhead was subtracted. The
// clock has one tick per ns.
func timedWith(name string, n, ns, overhead, self uint64) Marker {
	return Marker{
		Name: name, Count: n, SelfNS: self, Ticks: n * (ns + overhead), MinNS: ns, MaxNS: ns,
		Buckets: []Bucket{{K: 12, Count: n, SumNS: n * ns, SumSq: Uint128{Lo: n * ns * ns}}},
	}
}

// The total of a recursive marker excludes inner calls, but the overhead is that of all.
func TestOverheadOfRecursion(t *testing.T) {
	m := timedWith("m", 1000, 3000, 200, 0)
	m.NestedNS = 2_000_000
	if got := m.overheadNS(1e9); got != 200_000 {
		t.Errorf("%g ns taken off, want 200000", got)
	}
}

// If more was subtracted than is left, a caution says so, with advice.
func TestMostlyOverhead(t *testing.T) {
	profiled := func(outer Marker) *Profile {
		return &Profile{
			Clock:   Clock{Kind: "tsc", Hz: 1e9, InsideNS: 20, WholeNS: 50},
			Markers: []Marker{outer, timedWith("inner", 80_000, 3000, 20, 20_000_000), timedWith("seldom", 10, 3000, 20, 30_000)},
		}
	}
	for _, tt := range []struct {
		name  string
		outer Marker
		want  string
	}{
		{"little", timedWith("outer", 1000, 3000, 8000, 0), ""},
		{"no inner ones", timedWith("outer", 100_000_000, 3, 20, 0), ""},
		{"of little", timedWith("outer", 100, 3000, 20_000, 0), ""},
		{"much", timedWith("outer", 1000, 3000, 20_020, 0),
			"of the times of 1 marker, more than three times as much was taken off for recording the scopes inside as is left, and they may be far off, min and low percentiles first " +
				"(outer: 3µs left, 20µs taken off); " +
				"count (//perf:mark count) or skip (//perf:skip) what runs most often, such as inner"},
	} {
		if got := profiled(tt.outer).mostlyOverhead(); got != tt.want {
			t.Errorf("%s: %q\nwant %q", tt.name, got, tt.want)
		}
	}
	p := profiled(timedWith("outer", 1000, 3000, 20_020, 0))
	if all := strings.Join(p.Cautions(), "\n"); !strings.Contains(all, "was taken off for recording") {
		t.Errorf("the cautions are %q", all)
	}
	p.ElapsedNS = 1_000_000_000
	if got := p.mostlyOverhead(); got != "" {
		t.Errorf("of a second that the run took 3 ms are little, but %q", got)
	}
	p.NoSelf = true
	if got := p.mostlyOverhead(); got != "" {
		t.Errorf("nothing is taken off for inner scopes without self times, but %q", got)
	}
}
