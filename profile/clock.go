package profile

import (
	"fmt"
	"math"
)

// Clock describes the clock of a run and the cost of measuring with it.
type Clock struct {
	Kind      string  // "tsc", "cntvct" or "mono"; "mixed" after a merge of runs with different clocks
	Hz        float64 // ticks per second, measured over the whole run if it is long enough
	QuantumNS float64 // smallest nonzero difference of two readings
	ReadNS    float64 // cost of one reading
	InsideNS  float64 // part of a scope's cost that is included in its measured time
	WholeNS   float64 // total cost of a scope to the program
}

// Cautions appends cautions about the clock.
func (c Clock) Cautions(list []string) []string {
	switch c.Kind {
	case "mono":
		return append(list, fmt.Sprintf("the processor's counter was not used, as its rate is not sure to be constant, or clock=mono asked for it; times are by the system's clock, in steps of %.0f ns", c.QuantumNS))
	case "mixed":
		return append(list, "the runs were measured with different clocks; overhead and quantum are those of the newest")
	}
	return list
}

// Duration converts the difference of two clock readings to ns. It returns 0 for a negative
// difference, which may occur between the counters of two processors.
func Duration(from, to uint64, hz float64) uint64 {
	ticks := int64(to - from)
	if ticks <= 0 || hz <= 0 {
		return 0
	}
	return toNS(float64(ticks) / hz * 1e9)
}

// toNS rounds ns to the nearest integer, saturating at both ends.
func toNS(ns float64) uint64 {
	switch {
	case !(ns > 0):
		return 0
	case ns >= math.MaxUint64:
		return math.MaxUint64
	}
	return uint64(ns + 0.5)
}
