package profile

import (
	"cmp"
	"slices"
	"strings"
)

// Merge adds profiles up: markers by ID, cover blocks by file and position. The result does not
// depend on the order of ps, or on earlier merges of some of them. If a marker was only counted in
// some runs and timed in others, its count exceeds the sum of its buckets. A marker that was
// renamed or moved has the name and place of the newest run. Merge does not modify ps and shares no
// memory with them. It skips nil elements; with no profiles it returns an empty one.
//
// The start is that of the first run, the elapsed time is the sum, and the clock and Go version are
// those of the newest run. Merge does not detect a profile given twice: it counts twice.
func Merge(ps []*Profile) *Profile {
	var sum Sum
	for _, p := range ps {
		sum.Add(p)
	}
	return sum.Finish()
}

// newer reports whether p's newest run is newer than q's. Ties are broken by the fields that a
// merge copies from the newest run, so that the order of merging does not matter.
func newer(p, q *Profile) bool {
	return cmp.Or(
		cmp.Compare(p.Newest, q.Newest),
		cmp.Compare(p.Go, q.Go),
		cmp.Compare(p.Clock.Hz, q.Clock.Hz),
		cmp.Compare(p.Clock.QuantumNS, q.Clock.QuantumNS),
		cmp.Compare(p.Clock.ReadNS, q.Clock.ReadNS),
		cmp.Compare(p.Clock.InsideNS, q.Clock.InsideNS),
		cmp.Compare(p.Clock.WholeNS, q.Clock.WholeNS),
	) > 0
}

// UpdateName sets the name and place of sum to those of m in a run started at asOf (ns since 1970),
// if that is the newest run so far.
func (sum *Marker) UpdateName(m *Marker, asOf int64) {
	if asOf > sum.AsOf || sum.Kind == "" || asOf == sum.AsOf && named(m, sum) {
		sum.Name, sum.Kind, sum.File, sum.Line, sum.Col = m.Name, m.Kind, m.File, m.Line, m.Col
		sum.Package, sum.Group, sum.AsOf = m.Package, m.Group, asOf
	}
	sum.CountOnly = sum.CountOnly && m.CountOnly
	sum.FollowsCall = sum.FollowsCall && m.FollowsCall
	sum.Guess = sum.Guess || m.Guess
}

// Add adds the data of m, which it neither modifies nor shares.
func (sum *Marker) Add(m *Marker) {
	sum.addSampling(m)
	sum.extremes(len(m.Buckets), m.MinNS, m.MaxNS)
	sum.Runs = Add64(sum.Runs, m.Runs)
	sum.Count = Add64(sum.Count, m.Count)
	sum.Open = Add64(sum.Open, m.Open)
	sum.NestedNS = Add64(sum.NestedNS, m.NestedNS)
	sum.SelfNS = Add64(sum.SelfNS, m.SelfNS)
	sum.Ticks = Add64(sum.Ticks, m.Ticks)
	sum.Buckets = addBuckets(sum.Buckets, m.Buckets)
	sum.Callers = addCallers(sum.Callers, m.Callers)
	sum.Readings = addReadings(sum.Readings, m.Readings)
	sum.Sizes = addSizes(sum.Sizes, m.Sizes)
	sum.First.add(&m.First)
	if m.Picks != nil {
		sum.addPicks(*m.Picks)
	}
	sum.Off = moreOff(sum.Off, m.Off)
	sum.Levels = sum.Levels.plus(m.Levels)
	sum.addNotes(m.Notes)
}

// MaxNotes is the maximum number of notes of a marker: the first in sort order.
const MaxNotes = 20

// addNotes adds new notes.
func (sum *Marker) addNotes(notes []string) {
	for _, note := range notes {
		(*words)(&sum.Notes).add(note)
	}
	sum.Notes = sum.Notes[:min(len(sum.Notes), MaxNotes)]
}

// extremes updates MinNS and MaxNS with those of another marker that has that many buckets. Its
// buckets must not have been added yet.
func (sum *Marker) extremes(buckets int, least, most uint64) {
	switch {
	case buckets == 0:
	case len(sum.Buckets) == 0:
		sum.MinNS, sum.MaxNS = least, most
	default:
		sum.MinNS, sum.MaxNS = min(sum.MinNS, least), max(sum.MaxNS, most)
	}
}

// named reports whether name and place should be taken from m rather than old, for runs that
// started at the same nanosecond.
func named(m, old *Marker) bool {
	return cmp.Or(
		cmp.Compare(m.Name, old.Name),
		cmp.Compare(m.Package, old.Package),
		cmp.Compare(m.Kind, old.Kind),
		cmp.Compare(m.File, old.File),
		cmp.Compare(m.Line, old.Line),
		cmp.Compare(m.Col, old.Col),
		cmp.Compare(m.Group, old.Group),
	) > 0
}

// words is a sorted set of strings.
type words []string

// add adds a string unless it is "".
func (w *words) add(s string) {
	if i, found := slices.BinarySearch(*w, s); !found && s != "" {
		*w = slices.Insert(*w, i, s)
	}
}

// addAll adds many strings efficiently.
func (w *words) addAll(list []string) {
	had := len(*w)
	for _, s := range list {
		if _, found := slices.BinarySearch((*w)[:had], s); !found && s != "" {
			*w = append(*w, s)
		}
	}
	if len(*w) > had {
		slices.Sort(*w)
		*w = slices.Compact(*w)
	}
}

// same returns the only element, "" if there is none, or "mixed".
func (w words) same() string {
	switch len(w) {
	case 0:
		return ""
	case 1:
		return w[0]
	}
	return "mixed"
}

// leastFinal returns the state farthest from the end: a sum is not stopped before all of its runs
// are.
func leastFinal(states words) string {
	order := []string{"profiling", "paused", "configured", "unconfigured", "stopped"}
	for _, s := range order {
		if slices.Contains(states, s) {
			return s
		}
	}
	return states.same()
}

// compareWarnings sorts warnings by file and offset: as text, but with numbers compared by value.
func compareWarnings(a, b string) int {
	digits := func(s string) int {
		return len(s) - len(strings.TrimLeft(s, "0123456789"))
	}
	for i := 0; i < len(a) && i < len(b); i++ {
		if n, m := digits(a[i:]), digits(b[i:]); n > 0 && m > 0 {
			if c := cmp.Or(cmp.Compare(n, m), cmp.Compare(a[i:i+n], b[i:i+m])); c != 0 {
				return c
			}
			i += n - 1
		} else if a[i] != b[i] {
			return cmp.Compare(a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}
