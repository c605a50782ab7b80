package profile

import (
	"fmt"
)

// Cost is what runs took of the processors, and what measuring was of it.
type Cost struct {
	Runs      uint64 // of how many runs this is known: those that ended in order, on a system that tells
	CPUNS     uint64 // processor time of their processes
	MarkersNS uint64 // what their markers cost about: recorded scopes and counted passages, times what one costs where caches are free for it
}

// add is the sum of both; nil is none.
func (c *Cost) add(d *Cost) *Cost {
	switch {
	case d == nil:
		return c
	case c == nil:
		c = &Cost{}
	}
	return &Cost{Add64(c.Runs, d.Runs), Add64(c.CPUNS, d.CPUNS), Add64(c.MarkersNS, d.MarkersNS)}
}

// sub is c without d, which is earlier; nil is none.
func (c *Cost) sub(d *Cost) *Cost {
	if c == nil || d == nil {
		return c
	}
	return &Cost{Sub64(c.Runs, d.Runs), Sub64(c.CPUNS, d.CPUNS), Sub64(c.MarkersNS, d.MarkersNS)}
}

// Share is the part of the processor time that markers cost about; 0 where nothing is known.
func (c *Cost) Share() float64 {
	if c == nil || c.CPUNS == 0 {
		return 0
	}
	return min(float64(c.MarkersNS)/float64(c.CPUNS), 1)
}

const (
	// muchCost is the part of the processor time from which on the cost of markers is a matter of its own.
	muchCost = 0.1

	// leastCPU is how much processor time runs have to take, each, for that part to mean something, ns: systems count it in
	// steps of up to 10 ms.
	leastCPU = 100e6
)

// Costly says that the figures are in good part the cost of markers, and what to do; "" where they are not. It is to be
// said before any figure.
func (p *Profile) Costly() string {
	c := p.Cost
	if c == nil || c.Share() < muchCost || float64(c.CPUNS) < leastCPU*float64(c.Runs) {
		return ""
	}
	at := ""
	if m := p.mostPassed(); m != nil {
		at = ", most of that at " + m.Name
	}
	return fmt.Sprintf("markers cost about %.0f %% of the processor time%s: the program took longer for them, and short passages are mostly their cost; "+
		"mark functions only (-funcs), skip what is passed most (//perf:skip, or skip=NAME in MARKGEN), count it (//perf:mark count), or record a sample (sample=1:100)", 100*c.Share(), at)
}

// mostPassed is the marker with more than half of all timed passages, or nil.
func (p *Profile) mostPassed() *Marker {
	var most *Marker
	all := uint64(0)
	for i := range p.Markers {
		m := &p.Markers[i]
		if all = Add64(all, m.Taken()); most == nil || m.Taken() > most.Taken() {
			most = m
		}
	}
	if most == nil || most.Taken() <= all/2 {
		return nil
	}
	return most
}
