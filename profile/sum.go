package profile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/markgen/markgen/registry"
)

// A Sum adds profiles up like Merge. Its memory grows with the number of markers, not of runs. The
// zero value is an empty sum. It must not be copied or used by several goroutines at once.
type Sum struct {
	p      Profile // everything except markers, blocks, and the fields that follow from words
	byID   map[registry.ID]*Marker
	blocks map[Block]*uint64

	apps, states, kinds, oses, arches words
	cpus, mains, versions             words
	newest                            *Profile // newest profile; only its clock, Go version and changes are kept
}

// maxWarnings is the maximum number of warnings of a sum.
const maxWarnings = 1000

// Add adds p, which it neither modifies nor keeps. A nil p adds nothing.
func (s *Sum) Add(p *Profile) {
	if p == nil {
		return
	}
	head := *p
	head.Pairs, head.Paths = p.Pairs.add(nil), p.Paths.add(nil)
	s.AddHead(&head)
	for i := range p.Markers {
		m := &p.Markers[i]
		to := s.Marker(m.ID)
		to.UpdateName(m, m.AsOf)
		to.Sample = max(to.Sample, m.Sample)
		to.Add(m)
	}
	for _, b := range p.Blocks {
		n := b.Count
		b.Count = 0
		s.AddBlock(b, n)
	}
}

// Profile returns the sum so far, without sharing memory.
func (s *Sum) Profile() *Profile {
	p := s.Finish()
	p.Pairs, p.Paths = p.Pairs.add(nil), p.Paths.add(nil)
	for i := range p.Markers {
		m := &p.Markers[i]
		m.Buckets = slices.Clone(m.Buckets)
		m.Callers = addCallers(nil, m.Callers)
		m.Readings = addReadings(nil, m.Readings)
		m.Sizes = slices.Clone(m.Sizes)
		m.Notes = slices.Clone(m.Notes)
		m.First = m.First.clone()
		if m.Picks != nil {
			picks := *m.Picks
			m.Picks = &picks
		}
	}
	return p
}

// Finish is like Profile, but shares memory with the sum, which must not be used any more.
func (s *Sum) Finish() *Profile {
	if s.newest == nil {
		return &Profile{}
	}
	p := s.p
	if p.Runs != 1 {
		p.Run = fmt.Sprintf("%d runs", p.Runs)
	} else {
		p.Changes, p.Unlogged = slices.Clone(s.newest.Changes), s.newest.Unlogged
	}
	p.Newest = s.newest.Newest
	p.App = strings.Join(s.apps, ", ")
	p.State = leastFinal(s.states)
	p.Clock, p.Go = s.newest.Clock, s.newest.Go
	p.Clock.Kind = s.kinds.same()
	p.GOOS, p.GOARCH = s.oses.same(), s.arches.same()
	p.CPU, p.Main, p.Version = s.cpus.same(), strings.Join(s.mains, ", "), s.versions.same()
	if p.Runs > 1 { // those of a single run stay in file order
		s.cutWarnings()
	}
	p.Warnings, p.MoreWarnings = slices.Clone(s.p.Warnings), s.p.MoreWarnings
	sorted := make([]*Marker, 0, len(s.byID))
	for _, m := range s.byID {
		sorted = append(sorted, m)
	}
	slices.SortFunc(sorted, CompareMarkers)
	p.Markers = make([]Marker, len(sorted))
	for i, m := range sorted {
		p.Markers[i] = *m
	}
	p.Blocks = slices.Grow(p.Blocks, len(s.blocks))
	for b, n := range s.blocks {
		b.Count = *n
		p.Blocks = append(p.Blocks, b)
	}
	slices.SortFunc(p.Blocks, CompareBlocks)
	return &p
}

// AddHead adds everything except markers and blocks. The sum may keep p.Pairs and p.Paths, which
// must not change.
func (s *Sum) AddHead(p *Profile) {
	sum := &s.p
	if s.newest == nil {
		sum.Complete = true
	}
	sum.Runs += p.Runs
	sum.Run = p.Run
	if sum.Start.IsZero() || !p.Start.IsZero() && p.Start.Before(sum.Start) {
		sum.Start = p.Start
	}
	sum.ElapsedNS = Add64(sum.ElapsedNS, p.ElapsedNS)
	sum.Complete = sum.Complete && p.Complete
	sum.Alive = sum.Alive || p.Alive
	sum.NoSelf = sum.NoSelf || p.NoSelf
	sum.Damaged = sum.Damaged || p.Damaged
	sum.Sampling = sum.Sampling.add(p.Sampling)
	sum.Wild = sum.Wild.add(p.Wild)
	sum.Cost = sum.Cost.add(p.Cost)
	sum.BudgetPPM = max(sum.BudgetPPM, p.BudgetPPM)
	sum.Lost = Add64(sum.Lost, p.Lost)
	if sum.Pairs == nil {
		sum.Pairs = p.Pairs
	} else {
		sum.Pairs = sum.Pairs.add(p.Pairs)
	}
	if sum.Paths == nil {
		sum.Paths = p.Paths
	} else {
		sum.Paths = sum.Paths.add(p.Paths)
	}
	sum.Untimed = sum.Untimed || p.Untimed
	sum.Trace = sum.Trace.add(p.Trace)
	sum.Warnings = append(sum.Warnings, p.Warnings...)
	sum.MoreWarnings = sum.MoreWarnings || p.MoreWarnings
	if len(sum.Warnings) > 2*maxWarnings {
		s.cutWarnings()
	}
	s.apps.addAll(strings.Split(p.App, ", "))
	s.states.add(p.State)
	s.kinds.add(p.Clock.Kind)
	s.oses.add(p.GOOS)
	s.arches.add(p.GOARCH)
	s.cpus.add(p.CPU)
	s.mains.addAll(strings.Split(p.Main, ", "))
	s.versions.add(p.Version)
	if s.newest == nil || newer(p, s.newest) {
		s.newest = &Profile{Clock: p.Clock, Go: p.Go, Changes: p.Changes, Unlogged: p.Unlogged, Newest: p.Newest}
	}
}

// cutWarnings sorts the warnings and keeps the first maxWarnings.
func (s *Sum) cutWarnings() {
	w := s.p.Warnings
	slices.SortFunc(w, compareWarnings)
	if w = slices.Compact(w); len(w) > maxWarnings {
		w, s.p.MoreWarnings = w[:maxWarnings], true
	}
	s.p.Warnings = w
}

// Marker returns the sum's marker with the ID, for the caller to add to; it creates an empty one if
// needed.
func (s *Sum) Marker(id registry.ID) *Marker {
	m := s.byID[id]
	if m == nil {
		if s.byID == nil {
			s.byID = map[registry.ID]*Marker{}
		}
		m = &Marker{ID: id, CountOnly: true, FollowsCall: true}
		s.byID[id] = m
	}
	return m
}

// AddBlock adds n to the count of a block. It ignores b.Count.
func (s *Sum) AddBlock(b Block, n uint64) {
	sum := s.blocks[b]
	if sum == nil {
		if s.blocks == nil {
			s.blocks = map[Block]*uint64{}
		}
		sum = new(uint64)
		s.blocks[b] = sum
	}
	*sum = Add64(*sum, n)
}
