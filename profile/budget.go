package profile

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// ErrNoCost is returned where the cost of markers is asked for and not known.
var ErrNoCost = errors.New("the data do not tell what measuring cost: the processor time of a process is known once it has ended by itself")

// A Budget says which markers to leave out of a build for the others to cost little.
type Budget struct {
	Program  float64   // processor time that the program itself took, without markers, in ns
	Left     []LeftOut // what is left out
	Before   float64   // what all markers take, as a share of Program
	Forecast float64   // what the others take, as that share, if they run as often
}

// A LeftOut is a marker to leave out, and the marker that costs too much: itself or that of its function.
type LeftOut struct {
	*Marker
	Cause MarkerCost
}

// Budget leaves out markers, the most expensive first, until the others cost at most a share of the
// processor time that the program itself takes. Regions and points stay, since users write them one
// by one, so the forecast may be above the share. The error is ErrNoCost.
//
// With the marker of a function goes all that is in it: as long as one marker is left, each call
// tests whether it is on, and does not if none is.
//
// A marker that was demoted is forecast to be timed throughout, and one that a budget of MARKGEN had
// off to be on: the program that is built may be run without either.
func (p *Profile) Budget(share float64) (*Budget, error) {
	list, _ := p.Costs()
	program := p.Cost.Program()
	if program == 0 {
		return nil, ErrNoCost
	}
	for i := range list {
		c := &list[i]
		if c.Demoted() {
			c.NS = float64(c.Count) * p.Clock.WholeNS
		}
		c.NS *= c.Levels.whole()
	}
	slices.SortStableFunc(list, func(a, b MarkerCost) int { return cmp.Compare(b.NS, a.NS) })
	b := &Budget{Program: program}
	cost := map[*Marker]float64{} // by marker
	for _, c := range list {
		cost[c.Marker] = c.NS / program
		b.Before += c.NS / program
	}
	b.Forecast = b.Before
	inside, left := p.inFunctions(), map[*Marker]bool{}
	leave := func(m *Marker, cause MarkerCost) {
		if m.leavable() && !left[m] {
			left[m] = true
			b.Left = append(b.Left, LeftOut{m, cause})
			b.Forecast -= cost[m]
		}
	}
	for _, cause := range list {
		if b.Forecast <= share {
			break
		}
		if !cause.leavable() || left[cause.Marker] {
			continue
		}
		leave(cause.Marker, cause)
		if cause.Kind == "func" {
			for _, m := range inside[cause.Name] {
				leave(m, cause)
			}
		}
	}
	b.Forecast = max(b.Forecast, 0) // rounding
	return b, nil
}

// leavable reports whether a build for a budget may leave out the marker.
func (m *Marker) leavable() bool { return m.Kind != "region" && m.Kind != "point" }

// inFunctions returns by function the markers in its body, without those in function literals inside.
func (p *Profile) inFunctions() map[string][]*Marker {
	inside := map[string][]*Marker{}
	for i := range p.Markers {
		for name := p.Markers[i].Name; ; {
			end := strings.LastIndexByte(name, ':')
			if end < 0 || strings.HasPrefix(name[end+1:], "func#") {
				break
			}
			name = name[:end]
			inside[name] = append(inside[name], &p.Markers[i])
		}
	}
	return inside
}

// Overhead returns what markers took as a share of what the program itself took. It is not known,
// and ok is false, for runs that were killed and for runs too short for their processor time to be
// measured.
func (p *Profile) Overhead() (share float64, ok bool) {
	program := p.Cost.Program()
	if program == 0 || float64(p.Cost.CPUNS) < minCPU*float64(p.Cost.Runs) {
		return 0, false
	}
	return float64(p.Cost.MarkersNS) / program, true
}

// Program returns the processor time that the program took without markers, in ns; 0 if unknown. It
// is at least a tenth of all: what markers took is an estimate.
func (c *Cost) Program() float64 {
	if c == nil || c.CPUNS == 0 {
		return 0
	}
	return max(float64(c.CPUNS)-float64(c.MarkersNS), float64(c.CPUNS)/10)
}
