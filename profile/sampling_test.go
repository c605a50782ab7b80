package profile

import (
	"math"
	"testing"
)

// Where windows were nothing but overhead, as far as was measured, an estimate is unsure by as much as
// it is.
func TestAllOverhead(t *testing.T) {
	s := &Sampling{N: 10, Windows: 40, OpenNS: 64_000_000, NetNS: 1_000_000, OfNS: 200_000_000}
	n := 1000.0
	if v, estimate := s.countVar(40*n, 40*n*n, 40, 0), 40*n*s.factor(); v < 0.9*estimate*estimate {
		t.Errorf("variance %g of an estimate of %g", v, estimate)
	}
	s = &Sampling{N: 10, Windows: 40, OpenNS: 64_000_000, NetNS: 63_900_000, OfNS: 640_000_000}
	if v, estimate := s.countVar(40*n, 40*n*n, 40, 0), 40*n*s.factor(); v > 0.01*estimate*0.01*estimate {
		t.Errorf("variance %g of an estimate of %g", v, estimate)
	}
}

// Of what reading collectors took only a little is not known, however much of the windows it is.
func TestReadInWindows(t *testing.T) {
	s := &Sampling{N: 10, Windows: 40, OpenNS: 200_000_000, NetNS: 60_000_000, OfNS: 2_000_000_000}
	const n = 700
	of := func(read float64) float64 {
		return math.Sqrt(s.countVar(40*n, 40*n*n, 40, read)) / (40 * n * s.factor())
	}
	if e := of(139_000_000); e < 0.10 || e > 0.14 {
		t.Errorf("a standard error of %.3f, want a twentieth of 139/60", e)
	}
	if e := of(0); e < 0.9 {
		t.Errorf("a standard error of %.3f where all of it is an estimate", e)
	}
}
