//go:build linux

package overlay_test

import (
	"math"
	"slices"
	"testing"

	"github.com/markgen/markgen/profile"
)

// A trial is what runs of a program with other seeds each found, as parts of what is true. In one run what else the machine does may
// come between, so the median is asked about, and no more runs are made than decide on it.
type trial struct {
	runs        int     // so many at most
	least, most float64 // of the median
	errors      float64 // so many standard errors each count may be off, if not 0
	far         int     // so many may be farther off

	parts    []float64 // of each run
	relative []float64 // their standard errors
	farther  int
}

// add adds the count of a run. It should be want.
func (r *trial) add(m *profile.Marker, want float64) {
	r.parts = append(r.parts, float64(m.Count)/want)
	r.relative = append(r.relative, m.CountSE()/want)
	if r.errors > 0 && math.Abs(float64(m.Count)-want) > r.errors*m.CountSE() {
		r.farther++
	}
}

// outside tells how many runs are below and above what the median is to be.
func (r *trial) outside() (below, above int) {
	for _, part := range r.parts {
		switch {
		case part < r.least:
			below++
		case part > r.most:
			above++
		}
	}
	return below, above
}

// decided tells whether the trials pass whatever further runs would find, or all runs are made.
func decided(trials ...*trial) bool {
	for _, r := range trials {
		left := r.runs - len(r.parts)
		below, above := r.outside()
		if left > 0 && (max(below, above)+left > r.runs/2 || r.errors > 0 && r.farther+left > r.far) {
			return false
		}
	}
	return true
}

// check fails the test if the median is not what it is to be, or too many runs are far off.
func (r *trial) check(t *testing.T, what string) {
	t.Helper()
	t.Logf("%s: of what they should be they are %.3g ± %.3g", what, r.parts, r.relative)
	if below, above := r.outside(); max(below, above) > r.runs/2 {
		t.Errorf("%s: of what they should be they are %.3g, want from %g to %g in the median", what, slices.Sorted(slices.Values(r.parts)), r.least, r.most)
	}
	if r.errors > 0 && r.farther > r.far {
		t.Errorf("%s: of what they should be they are %.3g ± %.3g, %d of them farther off than %g standard errors", what, r.parts, r.relative, r.farther, r.errors)
	}
}
