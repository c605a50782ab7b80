package profile

import "testing"

// Where windows were nothing but overhead, as far as was measured, an estimate is unsure by as much as
// it is.
func TestAllOverhead(t *testing.T) {
	s := &Sampling{N: 10, Windows: 40, OpenNS: 64_000_000, NetNS: 1_000_000, OfNS: 200_000_000}
	n := 1000.0
	if v, estimate := s.countVar(40*n, 40*n*n, 40), 40*n*s.factor(); v < 0.9*estimate*estimate {
		t.Errorf("variance %g of an estimate of %g", v, estimate)
	}
	s = &Sampling{N: 10, Windows: 40, OpenNS: 64_000_000, NetNS: 63_900_000, OfNS: 640_000_000}
	if v, estimate := s.countVar(40*n, 40*n*n, 40), 40*n*s.factor(); v > 0.01*estimate*0.01*estimate {
		t.Errorf("variance %g of an estimate of %g", v, estimate)
	}
}
