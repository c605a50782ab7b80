package runfile

import (
	"math"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
)

// costs adds the estimated cost of recording m to the run's.
func (r *run) costs(m *profile.Marker) {
	r.costNS += m.CostNS(r.Clock.WholeNS, float64(r.header.word(layout.OffCount))/1000)
}

// setCost sets the cost of the run. All data must have been added up.
func (r *run) setCost() {
	if t := r.Trace; r.Untimed && t != nil { // calls that are only traced have no cells
		r.costNS += float64(profile.Add64(t.Records, t.Lost)) / 2 * r.Clock.WholeNS
	}
	if r.sampledCost > 0 {
		r.costNS = r.sampledCost
	}
	if cpu := r.header.word(layout.OffCPUTime); cpu > 0 {
		r.Cost = &profile.Cost{Runs: 1, CPUNS: cpu, MarkersNS: uint64(min(r.costNS, math.MaxInt64))}
	}
}
