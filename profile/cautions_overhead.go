package profile

import (
	"fmt"

	"github.com/markgen/markgen/units"
)

// takenNS returns the total overhead that was subtracted from the marker's times, in ns: the mean
// cost of recording its scopes and those inside. hz is the rate of the clock. If much more was
// subtracted than is left, the rest may be just the error of that mean.
func (m *Marker) takenNS(hz float64) float64 {
	if m.Timed() == 0 {
		return 0
	}
	return float64(Sub64(Duration(0, m.Ticks, hz), m.SumNS()))
}

// insideTaken returns the part of takenNS that is due to scopes inside.
func (m *Marker) insideTaken(c *Clock) float64 {
	return max(0, m.takenNS(c.Hz)-float64(m.Timed())*c.InsideNS)
}

// mostTaken is the largest ratio of overhead subtracted for scopes inside to remaining time without
// a caution. A tenth of the overhead is uncertain, which at this ratio is a third of the remaining
// time.
const mostTaken = 3

// mostlyTaken returns a caution about markers for which insideTaken exceeds mostTaken times the
// remaining time, or "".
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
