package profile

import (
	"fmt"
	"math"

	"github.com/markgen/markgen/units"
)

// paused returns a caution if time in pauses may be missing from the scopes that were open around
// them, else "". It returns "" if no scope was as long as a pause.
func (p *Profile) paused() string {
	if p.NoSelf {
		return ""
	}
	var n, all, began uint64
	shortest := uint64(math.MaxUint64)
	for _, c := range p.Changes {
		switch {
		case c.To == "paused":
			began = c.AtNS
		case c.From == "paused" && c.To == "profiling" && c.AtNS >= began:
			n, all, shortest = n+1, Add64(all, c.AtNS-began), min(shortest, c.AtNS-began)
		}
	}
	if n == 0 || float64(all) < mattersAlone*float64(p.ElapsedNS) {
		return ""
	}
	around, timed := false, 0
	for i := range p.Markers {
		m := &p.Markers[i]
		if m.Timed() > 0 {
			timed++
			around = around || m.MaxNS >= shortest
		}
	}
	if !around || timed < 2 {
		return ""
	}
	return fmt.Sprintf("the run was paused %s, for %s in all: what scopes took that were not recorded then counts as self time of those that were open around them",
		units.Plural(n, "time"), roughly(float64(all)))
}
