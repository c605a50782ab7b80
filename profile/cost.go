package profile

import (
	"cmp"
	"fmt"
	"slices"
)

// Cost is the processor time of runs and an estimate of the part that markers took.
type Cost struct {
	Runs      uint64 // runs with a known cost: ended normally, on a system that reports CPU time
	CPUNS     uint64 // processor time of their processes
	MarkersNS uint64 // estimated cost of markers: recorded scopes and counted calls, with warm caches
}

// add returns the sum of c and d, either of which may be nil.
func (c *Cost) add(d *Cost) *Cost {
	switch {
	case d == nil:
		return c
	case c == nil:
		c = &Cost{}
	}
	return &Cost{Add64(c.Runs, d.Runs), Add64(c.CPUNS, d.CPUNS), Add64(c.MarkersNS, d.MarkersNS)}
}

// sub returns c minus the earlier cost d. If either is nil it returns c.
func (c *Cost) sub(d *Cost) *Cost {
	if c == nil || d == nil {
		return c
	}
	return &Cost{Sub64(c.Runs, d.Runs), Sub64(c.CPUNS, d.CPUNS), Sub64(c.MarkersNS, d.MarkersNS)}
}

// Share returns the estimated fraction of processor time that markers took; 0 if unknown.
func (c *Cost) Share() float64 {
	if c == nil || c.CPUNS == 0 {
		return 0
	}
	return min(float64(c.MarkersNS)/float64(c.CPUNS), 1)
}

const (
	// costlyShare is the Share from which the cost of markers is reported.
	costlyShare = 0.1

	// minCPU is the processor time per run that a meaningful Share requires, in ns: systems count
	// in steps of up to 10 ms.
	minCPU = 30e6
)

// Costly returns a warning if markers took a large part of the processor time, with advice, else
// "". It should be shown before any data.
func (p *Profile) Costly() string {
	c := p.Cost
	if c == nil || c.Share() < costlyShare || float64(c.CPUNS) < minCPU*float64(c.Runs) {
		return ""
	}
	at := ""
	if m := p.mostCalled(); m != nil {
		at = ", most of that at " + m.Name
	}
	less := ""
	if p.Paths != nil {
		less = "leave out paths, with which no scope is only counted, "
	}
	if slices.ContainsFunc(p.Markers, func(m Marker) bool { return m.Kind != "func" }) {
		less += "mark functions only (-funcs), "
	}
	return fmt.Sprintf("markers cost about %.0f %% of the processor time%s: the program took longer for them, and short scopes are mostly their cost; "+
		"%sskip what runs most often (//perf:skip, or skip=NAME in MARKGEN), count it (//perf:mark count), or record a sample (sample=1:100)", 100*c.Share(), at, less)
}

// executions returns how many of the marker's scopes were timed, and how many were only counted.
func (m *Marker) executions() (timed, counted uint64) {
	timed = m.Timed()
	switch {
	case m.Demoted():
		timed = m.Samples
	case m.Sampled() && m.CountSE() > 0: // in windows, outside of which nothing is counted
		return m.Samples, 0
	case m.Sampled():
		timed = m.Samples
	}
	return timed, Sub64(m.Count, timed)
}

// CostNS returns the estimated cost of the marker, in ns, if timing a scope takes timedNS and
// counting one countedNS.
func (m *Marker) CostNS(timedNS, countedNS float64) float64 {
	timed, counted := m.executions()
	return float64(timed)*timedNS + float64(counted)*countedNS
}

// A MarkerCost is the estimated processor time that one marker took.
type MarkerCost struct {
	*Marker
	Timed, Counted uint64  // scopes that were timed, and those that were only counted
	NS             float64 // what that took
}

// Costs returns the cost of each marker that cost something, the largest first, and what counting
// one scope took, in ns. It returns nil if Cost is unknown.
func (p *Profile) Costs() (list []MarkerCost, countNS float64) {
	if p.Cost == nil {
		return nil, 0
	}
	timed, counted := 0.0, 0.0
	for i := range p.Markers {
		c := MarkerCost{Marker: &p.Markers[i]}
		c.Timed, c.Counted = c.executions()
		timed, counted = timed+float64(c.Timed), counted+float64(c.Counted)
		if c.Timed+c.Counted > 0 {
			list = append(list, c)
		}
	}
	if counted > 0 {
		countNS = max(0, float64(p.Cost.MarkersNS)-timed*p.Clock.WholeNS) / counted
	}
	for i := range list {
		list[i].NS = list[i].CostNS(p.Clock.WholeNS, countNS)
	}
	slices.SortStableFunc(list, func(a, b MarkerCost) int { return cmp.Compare(b.NS, a.NS) })
	return list, countNS
}

// mostCalled returns the marker with more than half of all timed calls, or nil.
func (p *Profile) mostCalled() *Marker {
	var most *Marker
	all := uint64(0)
	for i := range p.Markers {
		m := &p.Markers[i]
		if all = Add64(all, m.Measured()); most == nil || m.Measured() > most.Measured() {
			most = m
		}
	}
	if most == nil || most.Measured() <= all/2 {
		return nil
	}
	return most
}
