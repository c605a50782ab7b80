package isolate

import (
	"math"
	"slices"
	"time"

	"github.com/markgen/markgen/isolate/exercise"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// A Result has the measurements.
type Result struct {
	Plan      *Plan
	Functions []*Function // functions of the API, sorted by name
	Passes    int
	Took      time.Duration // time of all passes
	FirstTook time.Duration // time of the first pass
	Failures  []Failure

	// Profile is the sum of all passes: the times of each function are those of its own passes, and
	// other readings, and call paths, are those of the first pass.
	Profile *profile.Profile

	Exercised *Result            // functions that only made-up calls reached, see Exercise; nil if there are none
	Refused   []exercise.Refusal // functions for which no calls could be made up

	byID map[registry.ID]*Function
	all  profile.Sum
}

// A Function has the measurements of one function.
type Function struct {
	*profile.Marker // its marker in Profile, with count and times of all its passes

	Group     int      // number of its group, from 1; 0 if it was not timed
	First     uint64   // calls in the first pass; if it is recursive, outermost calls
	Calls     []uint64 // the same for each of its passes
	Recursive bool     // it calls itself, directly or not: only outermost calls are timed and counted
	Disturbed bool     // in its passes another function of its group ran within it, unlike in the first pass
	Exercised bool     // reached by made-up calls only
	InFirst   float64  // mean in the first pass, in which everything was measured at once, in ns; 0 if it was not timed

	panics string // number of made-up calls that panicked, as text; "" if none did
	timed  []timed
}

// timed are the timed calls of a function in one of its passes.
type timed struct{ calls, ns uint64 }

// StandardError returns the standard error of the mean, in ns: the larger of the one by the spread
// of single calls and, if there are several passes, the one by the differences between them. ok is
// false if fewer than two calls were timed.
func (f *Function) StandardError() (ns float64, ok bool) {
	n := float64(f.Timed())
	if n < 2 {
		return 0, false
	}
	within := f.StddevNS() / math.Sqrt(n-1)
	// The mean is a ratio of times to calls, so its variance is that of a ratio estimator (Cochran,
	// Sampling Techniques, 6.4): passes with more calls have more weight.
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

// Reached reports whether any pass reached the function.
func (f *Function) Reached() bool { return f.First > 0 || f.Made() > 0 }

// Made returns the number of calls in its passes, including those that were open when a pass ended
// and have no time: the last call that was left by a panic may appear to be open.
func (f *Function) Made() uint64 { return f.Count + f.Open }

// Varies reports whether its passes had a different number of calls than the first pass, and
// returns the minimum and maximum number.
func (f *Function) Varies() (least, most uint64, varies bool) {
	least, most = f.First, f.First
	for _, n := range f.Calls {
		least, most = min(least, n), max(most, n)
	}
	return least, most, least != most
}

// A Failure is a pass that failed.
type Failure struct {
	Name     string
	Code     int
	TimedOut bool
}

func (f Failure) String() string { return f.Name + ": " + f.how() }

func (f Failure) how() string { return (&Pass{Code: f.Code, TimedOut: f.TimedOut}).How() }

// ended records how a pass ended.
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

// first adds the data of the first pass: the functions, and everything except times.
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
	rest.Paths = p.Only(func(name string) bool {
		return slices.ContainsFunc(r.Functions, func(f *Function) bool { return f.Name == name })
	}).Paths
	r.all.Add(&rest)
}

// groups returns the groups of the plan, with the markers of the first pass.
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

// add adds the data of a group's pass. It identifies functions by name, since a registry may assign
// a marker another ID if there are fewer markers.
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

// sum computes the profile of all passes.
func (r *Result) sum() {
	p := r.all.Profile()
	// A function's self time would be its total time, as nothing within it was measured.
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
