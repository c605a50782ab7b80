package isolate

import (
	"math"
	"slices"
	"time"

	"github.com/markgen/markgen/isolate/exercise"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// A Result is what was measured.
type Result struct {
	Plan      *Plan
	Functions []*Function // of the API, sorted by name
	Passes    int
	Took      time.Duration // all passes together
	FirstTook time.Duration // the first
	Failures  []Failure

	// Profile has the same as any profile: of each function the times of its passes, and what
	// the first pass read besides.
	Profile *profile.Profile

	Exercised *Result            // of functions that only made-up calls reached, see Exercise; nil: there were none
	Refused   []exercise.Refusal // functions of which no calls could be made up

	byID map[registry.ID]*Function
	all  profile.Sum
}

// A Function is what was measured of one.
type Function struct {
	*profile.Marker // in the Profile; count and times of all its passes

	Group     int      // from 1; 0: it was not timed
	First     uint64   // calls in the first pass; of those inside another of its own the outermost
	Calls     []uint64 // the same in each of its passes
	Recursive bool     // it calls itself, by whatever way: only outermost calls are timed and counted
	Disturbed bool     // in its passes another of its group ran inside it, which never happened in the first
	Exercised bool     // by calls that were made up
	InFirst   float64  // mean in the first pass, where all were measured at once, ns; 0: it was not timed

	panics string // how many of the made-up calls panicked, "" for none
	timed  []timed
}

// timed are the calls of a function that one of its passes timed.
type timed struct{ calls, ns uint64 }

// StandardError is that of the mean, in ns: the larger of what the spread of single calls makes of
// it and, where there are several passes, of what these differ by. ok is false where fewer than two
// calls were timed.
func (f *Function) StandardError() (ns float64, ok bool) {
	n := float64(f.Timed())
	if n < 2 {
		return 0, false
	}
	within := f.StddevNS() / math.Sqrt(n-1)
	// The mean is a ratio, of times to calls, so its variance is that of ratio estimators (Cochran,
	// Sampling Techniques, 6.4): passes with more calls say more.
	mean, squares, k := f.MeanNS(), 0.0, 0.0
	for _, pass := range f.timed {
		if pass.calls > 0 {
			off := float64(pass.ns) - mean*float64(pass.calls)
			squares += off * off
			k++
		}
	}
	if k < 2 {
		return within, true
	}
	return max(within, math.Sqrt(k/(k-1)*squares)/n), true
}

// Reached tells whether any pass reached it.
func (f *Function) Reached() bool { return f.First > 0 || f.Made() > 0 }

// Made is how many calls there were in its passes, those without a time among them that were
// open when a pass ended: the last that a panic has left may seem to be.
func (f *Function) Made() uint64 { return f.Count + f.Open }

// Varies tells whether its passes had other numbers of calls than the first, which it ran
// in to begin with, and the smallest and largest number of a pass.
func (f *Function) Varies() (least, most uint64, varies bool) {
	least, most = f.First, f.First
	for _, n := range f.Calls {
		least, most = min(least, n), max(most, n)
	}
	return least, most, least != most
}

// A Failure is a pass that did not end well.
type Failure struct {
	Name     string
	Code     int
	TimedOut bool
}

func (f Failure) String() string { return f.Name + ": " + f.how() }

func (f Failure) how() string { return (&Pass{Code: f.Code, TimedOut: f.TimedOut}).How() }

// ended takes note of how a pass ended.
func (r *Result) ended(name string, p *Pass) {
	r.Passes++
	r.Took += p.Took
	if r.Passes == 1 {
		r.FirstTook = p.Took
	}
	if p.failed() {
		r.Failures = append(r.Failures, Failure{name, p.Code, p.TimedOut})
	}
}

// first takes in the first pass: which functions there are, and all but times.
func (r *Result) first(p *profile.Profile, api func(*profile.Marker) bool, plan *Plan) {
	r.Plan, r.byID = plan, map[registry.ID]*Function{}
	group := map[registry.ID]int{}
	for i, ids := range plan.Groups {
		for _, id := range ids {
			group[id] = i + 1
		}
	}
	rest := *p
	rest.Markers, rest.Blocks, rest.Pairs = nil, nil, nil
	for i := range p.Markers {
		m := p.Markers[i]
		if !api(&m) {
			continue
		}
		f := &Function{Group: group[m.ID], First: m.Count + m.Open, Recursive: p.Pairs.Has(m.ID, m.ID)}
		r.byID[m.ID] = f
		r.Functions = append(r.Functions, f)
		if !m.CountOnly {
			f.InFirst = m.MeanNS()
			m = profile.Marker{
				ID: m.ID, Name: m.Name, Package: m.Package, Kind: m.Kind, File: m.File, Line: m.Line, Col: m.Col,
				Group: m.Group, Off: m.Off, Readings: m.Readings,
			}
		}
		f.Marker = &m
		rest.Markers = append(rest.Markers, m)
	}
	r.all.Add(&rest)
}

// groups are the groups of the plan, by what the first pass knows of their functions.
func (r *Result) groups() [][]*profile.Marker {
	groups := make([][]*profile.Marker, len(r.Plan.Groups))
	for i, ids := range r.Plan.Groups {
		for _, id := range ids {
			if f := r.byID[id]; f != nil {
				groups[i] = append(groups[i], f.Marker)
			}
		}
	}
	return groups
}

// add takes in a pass of a group. Functions are told by their names, since a registry may
// give a marker another ID where there are fewer.
func (r *Result) add(p *profile.Profile, group []*profile.Marker) {
	own := *p
	own.Markers, own.Blocks, own.Pairs = nil, nil, nil
	measured := map[string]profile.Marker{}
	for _, m := range p.Markers {
		measured[m.Name] = m
	}
	for _, of := range group {
		f := r.byID[of.ID]
		m, ok := measured[of.Name]
		if !ok {
			f.Calls = append(f.Calls, 0)
			continue
		}
		m.ID = of.ID
		f.Calls = append(f.Calls, m.Count+m.Open)
		f.timed = append(f.timed, timed{m.Timed(), m.SumNS()})
		f.Disturbed = f.Disturbed || p.Complete && m.SelfNS < m.SumNS()
		own.Markers = append(own.Markers, m)
	}
	if p.Runs > 0 {
		r.all.Add(&own)
	}
}

// sum makes the profile of all passes.
func (r *Result) sum() {
	p := r.all.Profile()
	// A function's self time would be all of its time, as nothing in it was measured.
	p.NoSelf = true
	for i := range p.Markers {
		if f := r.byID[p.Markers[i].ID]; f != nil {
			f.Marker = &p.Markers[i]
			if len(f.Calls) > 0 {
				f.Marker.Notes = f.notes()
				slices.Sort(f.Marker.Notes)
			}
		}
	}
	r.Profile = p
}
