package profile

import (
	"fmt"

	"github.com/markgen/markgen/units"
)

// takenNS is how much was taken off what the marker's scopes measured, ns, hz being the rate of the clock: what recording them and
// the scopes inside cost, as a mean. Where that is much more than what is left, what is left may be nothing but how far off the mean is.
func (m *Marker) takenNS(hz float64) float64 {
	if m.Timed() == 0 {
		return 0
	}
	return float64(Sub64(Duration(0, m.Ticks, hz), m.SumNS()))
}

// insideTaken is which part of that was for scopes inside.
func (m *Marker) insideTaken(c *Clock) float64 {
	return max(0, m.takenNS(c.Hz)-float64(m.Timed())*c.InsideNS)
}

// mostTaken is how many times as much as is left of a marker's times may be taken off them for the scopes inside and nothing said of it. A tenth of
// that is not sure, which is a third of what is left.
const mostTaken = 3

// mostlyTaken says of how many markers that matter mostTaken times as much was taken off for the scopes inside as is left, "" if of none.
func (p *Profile) mostlyTaken() string {
	if p.NoSelf || p.Clock.WholeNS <= 0 || p.Clock.Kind == "mixed" {
		return ""
	}
	var markers uint64
	var worst, often *Marker
	most, whole := 0.0, max(float64(p.weight()), float64(p.ElapsedNS))
	for i := range p.Markers {
		m := &p.Markers[i]
		if m.Timed() == 0 {
			continue
		}
		if often == nil || m.Timed() > often.Timed() {
			often = m
		}
		taken, left := m.insideTaken(&p.Clock), float64(m.SumNS())
		if taken < mostTaken*left || left == 0 || float64(m.TotalNS()) < mattersTogether*whole {
			continue
		}
		markers++
		if taken > most*left {
			worst, most = m, taken/left
		}
	}
	if worst == nil {
		return ""
	}
	return fmt.Sprintf("of the times of %s, more than three times as much was taken off for recording the scopes inside as is left, and they may be far off, min and low percentiles first "+
		"(%s: %s left, %s taken off); count (//perf:mark count) or skip (//perf:skip) what is passed most, such as %s",
		units.Plural(markers, "marker"), worst.Name, roughly(worst.MeanNS()), roughly(worst.insideTaken(&p.Clock)/float64(worst.Timed())), often.Name)
}
