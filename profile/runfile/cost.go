package runfile

import (
	"math"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
)

// costs adds the estimated cost of recording m to the run's.
func (r *run) costs(m *profile.Marker) {
	scopes := m.Timed()
	counts := profile.Sub64(m.Count, scopes)
	switch {
	case m.Demoted():
		scopes = m.Samples
		counts = profile.Sub64(m.Count, scopes)
	case m.Sampled():
		scopes, counts = m.Samples, 0
	}
	r.costNS += float64(scopes)*r.Clock.WholeNS + float64(counts)*float64(r.header.word(layout.OffCount))/1000
}

// setCost sets the cost of the run. All data must have been added up.
func (r *run) setCost() {
	if t := r.Trace; r.Untimed && t != nil { // calls that are only traced have no cells
		r.costNS += float64(profile.Add64(t.Records, t.Lost)) / 2 * r.Clock.WholeNS
	}
	if cpu := r.header.word(layout.OffCPUTime); cpu > 0 {
		r.Cost = &profile.Cost{Runs: 1, CPUNS: cpu, MarkersNS: uint64(min(r.costNS, math.MaxInt64))}
	}
}
