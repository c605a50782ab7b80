package profile

import (
	"cmp"
	"errors"
	"slices"
)

// ErrNoCost is returned where the cost of markers is asked for and not known.
var ErrNoCost = errors.New("the data do not tell what measuring cost: the processor time of a process is known once it has ended by itself")

// A Budget says which markers to leave out of a build for the others to cost little.
type Budget struct {
	Program  float64      // processor time that the program itself took, without markers, in ns
	Left     []MarkerCost // what is left out, the most expensive first
	Before   float64      // what all markers take, as a share of Program
	Forecast float64      // what the others take, as that share, if they run as often
}

// Budget leaves out markers, the most expensive first, until the others cost at most a share of the
// processor time that the program itself takes. Regions and points stay, since users write them one
// by one, so the forecast may be above the share. The error is ErrNoCost.
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
	for _, c := range list {
		b.Before += c.NS / program
	}
	b.Forecast = b.Before
	for _, c := range list {
		if b.Forecast <= share {
			break
		}
		if c.Kind != "region" && c.Kind != "point" {
			b.Left = append(b.Left, c)
			b.Forecast = max(0, b.Forecast-c.NS/program)
		}
	}
	return b, nil
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
