package shape

import (
	"fmt"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// Steady says whether all calls except the first of each process take about the same time.
type Steady struct {
	Verdict  Verdict `json:"verdict"`
	P05NS    float64 `json:"p05_ns"`
	P95NS    float64 `json:"p95_ns"`
	Calls    uint64  `json:"calls"`
	Evidence string  `json:"evidence"`
	Need     string  `json:"need,omitempty"`
}

const (
	// steadyCalls is the minimum number of calls for a verdict.
	steadyCalls = 100

	// maxSteadyRatio is the largest ratio of the 95th percentile to the 5th that counts as
	// constant. The verdict is Undecided if the bounds of both percentiles allow more than twice
	// that.
	maxSteadyRatio = 1.5
)

func steady(m *profile.Marker, o Options) *Steady {
	s := &Steady{Verdict: Undecided, P05NS: m.QuantileNS(0.05), P95NS: m.QuantileNS(0.95), Calls: m.Measured()}
	s.Evidence = fmt.Sprintf("nine of ten calls take from %s to %s, of %s", duration(s.P05NS), duration(s.P95NS), units.Count(s.Calls))
	least, _ := m.QuantileBounds(0.05)
	_, most := m.QuantileBounds(0.95)
	slack := 2 * max(doubtNS, o.QuantumNS)
	switch {
	case s.Calls < steadyCalls:
		s.Need = fmt.Sprintf("%d calls", steadyCalls)
	case s.P95NS <= maxSteadyRatio*s.P05NS+slack:
		s.Verdict = Yes
		if most > 2*maxSteadyRatio*least+slack { // the buckets allow a larger ratio
			s.Verdict, s.Need = Undecided, "the single times: the buckets leave both open"
		}
	default:
		s.Verdict = No
	}
	return s
}
