package profile

import (
	"fmt"

	"github.com/markgen/markgen/units"
)

// overheadNS returns the total overhead that was subtracted from the marker's times, in ns: the
// mean cost of recording its scopes and those inside. hz is the rate of the clock. If much more was
// subtracted than is left, the rest may be just the error of that mean.
func (m *Marker) overheadNS(hz float64) float64 {
	if m.Timed() == 0 {
		return 0
	}
	return float64(Sub64(Duration(0, m.Ticks, hz), m.SumNS()))
}

// innerOverhead returns the part of overheadNS that is due to scopes inside.
func (m *Marker) innerOverhead(c *Clock) float64 {
	return max(0, m.overheadNS(c.Hz)-float64(m.Timed())*c.InsideNS)
}

// maxInnerOverhead is how many times what is left of a marker's time the overhead of scopes inside may
// be; above it there is a caution. A tenth of the overhead is uncertain, which is then a third of what
// is left.
const maxInnerOverhead = 3

// mostlyOverhead returns a caution about the markers whose innerOverhead is more than maxInnerOverhead
// times what is left of their time, or "". It leaves out markers with less than mattersTogether of the
// run's time, which nobody looks at, and those of which nothing is left: there is no ratio.
func (p *Profile) mostlyOverhead() string {
	if p.NoSelf || p.Clock.WholeNS <= 0 || p.Clock.Kind == "mixed" {
		return ""
	}
	var markers uint64
	var worst, often *Marker
	ratio, run := 0.0, max(float64(p.weight()), float64(p.ElapsedNS))
	for i := range p.Markers {
		m := &p.Markers[i]
		if m.Timed() == 0 {
			continue
		}
		if often == nil || m.Timed() > often.Timed() {
			often = m
		}
		inner, left := m.innerOverhead(&p.Clock), float64(m.SumNS())
		if inner < maxInnerOverhead*left || left == 0 || float64(m.TotalNS()) < mattersTogether*run {
			continue
		}
		markers++
		if inner > ratio*left {
			worst, ratio = m, inner/left
		}
	}
	if worst == nil {
		return ""
	}
	return fmt.Sprintf("of the times of %s, more than three times as much was taken off for recording the scopes inside as is left, and they may be far off, min and low percentiles first "+
		"(%s: %s left, %s taken off); count (//perf:mark count) or skip (//perf:skip) what runs most often, such as %s",
		units.Plural(markers, "marker"), worst.Name, roughly(worst.MeanNS()), roughly(worst.innerOverhead(&p.Clock)/float64(worst.Timed())), often.Name)
}
