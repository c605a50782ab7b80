package top

import (
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/steer"
)

// Source is a process to watch: a *steer.Process.
type Source interface {
	Profile() (*profile.Profile, error)
	Status() (steer.Status, error)
	On() (map[string]bool, error)
	Do(verb string) error
	Sample(n uint64) error
	Turn(name string, on bool) error
}

// A reading is the data that a process had collected at some time.
type reading struct {
	at      time.Time
	profile *profile.Profile
	status  steer.Status
	on      map[string]bool // by name, whether a marker that can be turned off is on
}

// read takes a reading.
func read(s Source) (*reading, error) {
	p, err := s.Profile()
	if err != nil {
		return nil, err
	}
	r := &reading{at: time.Now(), profile: p}
	if r.status, err = s.Status(); err != nil {
		return nil, err
	}
	r.on, err = s.On()
	return r, err
}

// A span is the data collected between two readings, or since the start of the run if there is no
// earlier one.
type span struct {
	took    time.Duration
	quantum float64 // of the clock, ns
	self    bool    // self times are available
	sampled bool    // counts of some markers are estimates
	rows    []row
}

// A row is a marker and its calls in a span.
type row struct {
	all    *profile.Marker // since the start of the run
	in     profile.Marker  // in the span, without a name
	off    bool            // it is off
	steers bool            // it can be turned on and off
}

// between returns the span from an earlier reading, which may be nil, to a later one.
func between(from, to *reading) span {
	s := span{took: max(to.status.Elapsed, time.Duration(to.profile.ElapsedNS)), quantum: to.profile.Clock.QuantumNS, self: !to.profile.NoSelf, rows: make([]row, len(to.profile.Markers))}
	var before map[registry.ID]*profile.Marker
	if from != nil {
		s.took = to.at.Sub(from.at)
		before = make(map[registry.ID]*profile.Marker, len(from.profile.Markers))
		for i := range from.profile.Markers {
			before[from.profile.Markers[i].ID] = &from.profile.Markers[i]
		}
	}
	for i := range to.profile.Markers {
		m := &to.profile.Markers[i]
		on, steers := to.on[m.Name]
		s.sampled = s.sampled || m.CountSE() > 0
		s.rows[i] = row{all: m, in: *m, off: steers && !on, steers: steers}
		if old := before[m.ID]; old != nil {
			s.rows[i].in = difference(old, m)
		}
	}
	return s
}

// difference returns the data added to a marker between two readings. Shortest and longest time are
// those of the whole run, which bound those of the span. In a file that is read while it is
// written, numbers may disagree by a few calls; differences are never negative. Estimates are
// revised as more becomes known: if no more calls were recorded, or the estimate decreased, the
// difference is zero.
func difference(from, to *profile.Marker) profile.Marker {
	if to.Count < from.Count || to.Samples > 0 && to.Samples == from.Samples {
		return profile.Marker{CountOnly: to.CountOnly, MinNS: to.MinNS, MaxNS: to.MaxNS}
	}
	d := profile.Marker{
		Count:     less(to.Count, from.Count),
		CountOnly: to.CountOnly,
		SelfNS:    less(to.SelfNS, from.SelfNS),
		NestedNS:  less(to.NestedNS, from.NestedNS),
		MinNS:     to.MinNS,
		MaxNS:     to.MaxNS,
	}
	old := from.Buckets
	for _, b := range to.Buckets {
		for len(old) > 0 && old[0].K < b.K {
			old = old[1:]
		}
		if len(old) > 0 && old[0].K == b.K {
			b.Count = less(b.Count, old[0].Count)
			b.SumNS = less(b.SumNS, old[0].SumNS)
			b.SumSq = lessSquares(b.SumSq, old[0].SumSq)
		}
		if b.Count > 0 {
			d.Buckets = append(d.Buckets, b)
		}
	}
	return d
}

func less(a, b uint64) uint64 { return a - min(a, b) }

func lessSquares(a, b profile.Uint128) profile.Uint128 {
	if a.Less(b) {
		return profile.Uint128{}
	}
	d := profile.Uint128{Hi: a.Hi - b.Hi, Lo: a.Lo - b.Lo}
	if a.Lo < b.Lo {
		d.Hi--
	}
	return d
}

// perSecond returns n per second of the span.
func (s *span) perSecond(n uint64) float64 {
	if s.took <= 0 {
		return 0
	}
	return float64(n) / s.took.Seconds()
}

// share returns the fraction of the span spent in a marker: its self time, or its total time if
// self times are unknown. It may exceed 1 if several goroutines ran.
func (s *span) share(r *row) float64 {
	if s.took <= 0 {
		return 0
	}
	ns := r.in.SelfNS
	if !s.self {
		ns = r.in.TotalNS()
	}
	return float64(ns) / float64(s.took)
}
