package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/markgen/markgen/registry"
)

// Merge adds profiles up: markers by ID, cover blocks by file and position.
// The result does not depend on the order of ps, nor on whether parts of it were
// merged before. The count of a marker that only counted in some of the runs and
// was timed in others exceeds that of its buckets. A marker that was renamed or moved between the runs has the
// name and place of the newest. Merge changes none of ps and shares no memory
// with them; nil elements are left out, and of nothing it makes an empty profile.
//
// The start is that of the first run, the elapsed time the sum, the clock and
// the Go version those of the newest run. A profile merged with itself counts
// twice: which files are given is the caller's business.
func Merge(ps []*Profile) *Profile {
	sum := &Profile{Complete: true}
	markers := map[registry.ID]*Marker{}
	blocks := map[Block]uint64{}
	var apps, states, kinds, oses, arches []string
	var newest *Profile
	for _, p := range ps {
		if p == nil {
			continue
		}
		sum.Runs += p.Runs
		sum.Run = p.Run
		if sum.Start.IsZero() || !p.Start.IsZero() && p.Start.Before(sum.Start) {
			sum.Start = p.Start
		}
		sum.ElapsedNS = add64(sum.ElapsedNS, p.ElapsedNS)
		sum.Complete = sum.Complete && p.Complete
		sum.Alive = sum.Alive || p.Alive
		sum.NoSelf = sum.NoSelf || p.NoSelf
		sum.Damaged = sum.Damaged || p.Damaged
		sum.Sampling = sum.Sampling.add(p.Sampling)
		sum.Lost = add64(sum.Lost, p.Lost)
		sum.Untimed = sum.Untimed || p.Untimed
		sum.Trace = sum.Trace.add(p.Trace)
		sum.Warnings = append(sum.Warnings, p.Warnings...)
		apps = append(apps, strings.Split(p.App, ", ")...)
		states = append(states, p.State)
		kinds = append(kinds, p.Clock.Kind)
		oses = append(oses, p.GOOS)
		arches = append(arches, p.GOARCH)
		if newest == nil || newer(p, newest) {
			newest = p
		}
		for i := range p.Markers {
			addMarker(markers, &p.Markers[i])
		}
		for _, b := range p.Blocks {
			n := b.Count
			b.Count = 0
			blocks[b] = add64(blocks[b], n)
		}
	}
	if newest == nil {
		return &Profile{}
	}
	if sum.Runs == 1 {
		sum.Changes = slices.Clone(newest.Changes)
	} else {
		sum.Run = fmt.Sprintf("%d runs", sum.Runs)
	}
	sum.newest = newest.newest
	sum.App = strings.Join(distinct(apps), ", ")
	sum.State = leastFinal(states)
	sum.Clock, sum.Go = newest.Clock, newest.Go
	sum.Clock.Kind = same(kinds)
	sum.GOOS, sum.GOARCH = same(oses), same(arches)
	slices.SortFunc(sum.Warnings, compareWarnings)
	sum.Warnings = slices.Compact(sum.Warnings)
	for _, m := range markers {
		sum.Markers = append(sum.Markers, *m)
	}
	for b, n := range blocks {
		b.Count = n
		sum.Blocks = append(sum.Blocks, b)
	}
	sum.sort()
	return sum
}

// newer tells whether p's newest run is newer than q's. Runs that started at
// the same nanosecond are told apart by what is taken from them, so that it
// does not matter which is the first.
func newer(p, q *Profile) bool {
	return cmp.Or(
		cmp.Compare(p.newest, q.newest),
		cmp.Compare(p.Go, q.Go),
		cmp.Compare(p.Clock.Hz, q.Clock.Hz),
		cmp.Compare(p.Clock.QuantumNS, q.Clock.QuantumNS),
		cmp.Compare(p.Clock.ReadNS, q.Clock.ReadNS),
		cmp.Compare(p.Clock.InsideNS, q.Clock.InsideNS),
		cmp.Compare(p.Clock.WholeNS, q.Clock.WholeNS),
	) > 0
}

// addMarker adds m to the marker of the same ID in the table, without changing m.
func addMarker(table map[registry.ID]*Marker, m *Marker) {
	sum := table[m.ID]
	if sum == nil {
		first := *m
		first.Buckets = addBuckets(nil, m.Buckets)
		first.Callers = addCallers(nil, m.Callers)
		first.Readings = addReadings(nil, m.Readings)
		table[m.ID] = &first
		return
	}
	if named(m, sum) {
		sum.Name, sum.Kind, sum.File, sum.Line, sum.Col = m.Name, m.Kind, m.File, m.Line, m.Col
		sum.Group, sum.asOf = m.Group, m.asOf
	}
	sum.CountOnly = sum.CountOnly && m.CountOnly
	sum.add(m)
}

// add adds the figures of m, which are not changed and not shared.
func (sum *Marker) add(m *Marker) {
	sum.addSampling(m)
	switch {
	case len(m.Buckets) == 0:
	case len(sum.Buckets) == 0:
		sum.MinNS, sum.MaxNS = m.MinNS, m.MaxNS
	default:
		sum.MinNS, sum.MaxNS = min(sum.MinNS, m.MinNS), max(sum.MaxNS, m.MaxNS)
	}
	sum.Count = add64(sum.Count, m.Count)
	sum.Open = add64(sum.Open, m.Open)
	sum.NestedNS = add64(sum.NestedNS, m.NestedNS)
	sum.SelfNS = add64(sum.SelfNS, m.SelfNS)
	sum.Ticks = add64(sum.Ticks, m.Ticks)
	sum.Buckets = addBuckets(sum.Buckets, m.Buckets)
	sum.Callers = addCallers(sum.Callers, m.Callers)
	sum.Readings = addReadings(sum.Readings, m.Readings)
}

// named tells whether the name and place are m's rather than old's.
func named(m, old *Marker) bool {
	return cmp.Or(
		cmp.Compare(m.asOf, old.asOf),
		cmp.Compare(m.Name, old.Name),
		cmp.Compare(m.Kind, old.Kind),
		cmp.Compare(m.File, old.File),
		cmp.Compare(m.Line, old.Line),
		cmp.Compare(m.Col, old.Col),
		cmp.Compare(m.Group, old.Group),
	) > 0
}

// distinct returns the different strings, sorted; "" is none.
func distinct(list []string) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" })
	slices.Sort(list)
	return slices.Compact(list)
}

// same returns what all are, or "mixed".
func same(list []string) string {
	switch d := distinct(list); len(d) {
	case 0:
		return ""
	case 1:
		return d[0]
	}
	return "mixed"
}

// leastFinal returns the state that is farthest from the end: a sum is not
// stopped before all of its runs are.
func leastFinal(states []string) string {
	order := []string{"profiling", "paused", "configured", "unconfigured", "stopped"}
	for _, s := range order {
		if slices.Contains(states, s) {
			return s
		}
	}
	return same(states)
}

// compareWarnings orders warnings by file and then by offset: as text does, but
// numbers by their value.
func compareWarnings(a, b string) int {
	digits := func(s string) int {
		return len(s) - len(strings.TrimLeft(s, "0123456789"))
	}
	for i := 0; i < len(a) && i < len(b); i++ {
		if n, m := digits(a[i:]), digits(b[i:]); n != m && n > 0 && m > 0 {
			return cmp.Compare(n, m)
		}
		if a[i] != b[i] {
			return cmp.Compare(a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}
