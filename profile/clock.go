package profile

import (
	"fmt"
	"math"
)

// Clock is the clock that a run measured with and what measuring cost.
type Clock struct {
	Kind      string  // "tsc", "cntvct" or "mono"; "mixed" after a merge of runs that differ
	Hz        float64 // ticks per second, over the whole run where it is long enough to tell
	QuantumNS float64 // smallest difference of two readings that is not 0
	ReadNS    float64 // what one reading costs
	InsideNS  float64 // the part of a scope's own cost that lies within the time it measures
	WholeNS   float64 // a scope's whole cost to the program
}

// Cautions appends what is to be said of the clock.
func (c Clock) Cautions(list []string) []string {
	switch c.Kind {
	case "mono":
		return append(list, fmt.Sprintf("the processor's counter was not used, as its rate is not sure to be constant, or clock=mono asked for it; times are by the system's clock, in steps of %.0f ns", c.QuantumNS))
	case "mixed":
		return append(list, "the runs were measured with different clocks; overhead and quantum are those of the newest")
	}
	return list
}

// Duration turns the difference of two clock readings into ns. A difference
// below 0 is that of two processors' counters, and counts as none.
func Duration(from, to uint64, hz float64) uint64 {
	ticks := int64(to - from)
	if ticks <= 0 || hz <= 0 {
		return 0
	}
	return toNS(float64(ticks) / hz * 1e9)
}

// toNS rounds; numbers that are out of range become the nearest that is not.
func toNS(ns float64) uint64 {
	switch {
	case !(ns > 0):
		return 0
	case ns >= math.MaxUint64:
		return math.MaxUint64
	}
	return uint64(ns + 0.5)
}
