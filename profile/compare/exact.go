package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// Counts says how numbers are compared that are the same in all runs of a deterministic program:
// scopes, and objects and bytes allocated.
type Counts int

// With CountsBeside they are compared beside the metric where at least two runs of each side show
// that they do not vary; with CountsOnly instead of the metric, and one run of a side will do.
const (
	CountsBeside Counts = iota
	CountsOnly
	CountsOff
)

// What a Count is the number of, in one run.
const (
	Scopes  = "scopes"
	Objects = "objects" // allocated on the goroutine in scopes of the marker, and in none inside
	Bytes   = "bytes"   // likewise

	// Iterations of all loops of a function, where one was edited and has no certain counterpart.
	Iterations = "iterations"
)

// quantities are the values of Count.What, in the order of reports.
var quantities = [...]string{Scopes, Objects, Bytes}

// Count is a number that was the same in all runs of a side and differs between the sides.
type Count struct {
	Place
	What     string
	Old, New uint64
	Verdict  Verdict // Worse, Better, or Changed by less than the threshold

	// Callers are the callers under which the number of scopes changed, the largest change first.
	// nil unless callers were recorded for all scopes.
	Callers []CallerCount

	Path *PathChange // where most of a change of the number of scopes happened; nil if unknown
}

// CallerCount is the number of scopes under one caller; Name is "" if no scope was open.
type CallerCount struct {
	ID       registry.ID
	Name     string
	Old, New uint64
}

// Change returns new/old - 1; +Inf from 0.
func (c *Count) Change() float64 { return growth(c.Old, c.New) }

func growth(old, fresh uint64) float64 {
	if old == fresh {
		return 0
	}
	return float64(fresh)/float64(old) - 1
}

// Varied is a number that differs between runs of one side, and so is not compared exactly.
type Varied struct {
	Place
	What     string
	Old, New Range
}

// Range is the least and the largest value in a side's runs.
type Range struct{ Lo, Hi uint64 }

// Work is a marker on one side only, with its scopes in a run of that side.
type Work struct {
	Place
	Scopes Range
}

// ExactCounts is the outcome of comparing counts; Counted and Varied in Result are its lists.
type ExactCounts struct {
	Runs  [2]int // runs of each side that are complete: others have lost some counts
	Same  int    // numbers that are the same in all of these runs
	Exact bool   // whether counts were compared at all
}

// tally is a number of one side: how many runs have it, and its range.
type tally struct {
	runs int
	Range
}

func (t *tally) add(n uint64) {
	if t.runs == 0 {
		t.Range = Range{n, n}
	}
	t.runs++
	t.Lo, t.Hi = min(t.Lo, n), max(t.Hi, n)
}

// exact has the numbers of one marker that are compared exactly.
type exact struct {
	sides   [len(quantities)][2]tally
	unknown [len(quantities)]bool // not fully known in some run
	callers map[registry.ID]*callerTally
	partial bool // some scopes have no caller
}

type callerTally struct {
	name  string
	sides [2]tally
}

// countable reports whether a run's counts are complete: not of a process that was killed or is
// running, and not of one that collected in windows, only in a trace, or some functions only.
func countable(p *profile.Profile) bool {
	return p.Complete && p.Lost == 0 && p.Sampling == nil && !p.Untimed && p.Wild == nil
}

// add adds a marker's numbers in a complete run. callers are the scopes under each caller.
func (e *exact) add(label Label, m *profile.Marker, callers []profile.Caller, noSelf bool) {
	e.sides[0][label].add(m.Count)
	for k, name := range []string{profile.AllocObjects, profile.AllocBytes} {
		r := m.Reading(profile.Alloc)
		v := r.Value(name)
		switch {
		case m.Count == 0:
			e.sides[k+1][label].add(0)
		case v == nil || noSelf || r.Dropped > 0 || r.Scopes != m.Count:
			e.unknown[k+1] = true
		default:
			e.sides[k+1][label].add(v.Self)
		}
	}
	var sum uint64
	for i := range callers {
		c := &callers[i]
		sum += c.Count
		if e.callers == nil {
			e.callers = map[registry.ID]*callerTally{}
		}
		t := e.callers[c.ID]
		if t == nil {
			t = &callerTally{}
			e.callers[c.ID] = t
		}
		t.name = c.Name
		t.sides[label].add(c.Count)
	}
	e.partial = e.partial || sum != m.Count
}

// pathCallers returns the scopes of each marker under each caller, from the call paths of a run.
func pathCallers(p *profile.Profile) map[registry.ID][]profile.Caller {
	if p.Paths == nil {
		return nil
	}
	names := map[registry.ID]string{}
	for i := range p.Markers {
		names[p.Markers[i].ID] = p.Markers[i].Name
	}
	callers := map[registry.ID][]profile.Caller{}
	for i := range p.Paths.Nodes {
		n := &p.Paths.Nodes[i]
		var from registry.ID
		if n.Parent >= 0 {
			from = p.Paths.Nodes[n.Parent].ID
		}
		list := callers[n.ID]
		k := slices.IndexFunc(list, func(c profile.Caller) bool { return c.ID == from })
		if k < 0 {
			k, list = len(list), append(list, profile.Caller{ID: from, Name: names[from]})
		}
		list[k].Count += n.Count
		callers[n.ID] = list
	}
	return callers
}

// changedCallers returns the callers under which the number of scopes differs between the sides.
func (e *exact) changedCallers() (list []CallerCount) {
	if e.partial {
		return nil
	}
	for id, t := range e.callers {
		for label := range t.sides { // runs without scopes under it do not list a caller
			if side := &t.sides[label]; side.runs < e.sides[0][label].runs {
				side.Lo = 0
			}
		}
		if old, fresh := t.sides[Old].Range, t.sides[New].Range; old.Lo == old.Hi && fresh.Lo == fresh.Hi && old != fresh {
			list = append(list, CallerCount{id, t.name, old.Lo, fresh.Lo})
		}
	}
	slices.SortFunc(list, func(a, b CallerCount) int {
		return cmp.Or(cmp.Compare(distance(b.Old, b.New), distance(a.Old, a.New)), profile.CompareNames(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return list
}

func distance(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// counts compares the numbers of all markers that both sides reached in some run.
func (c *Comparison) counts(r *Result) {
	r.Runs = c.countable
	if c.options.Counts == CountsOff {
		return
	}
	least := 2
	if c.options.Counts == CountsOnly {
		least = 1
	}
	if r.Exact = min(r.Runs[Old], r.Runs[New]) >= least; !r.Exact {
		return
	}
	pairs := c.pathPairs()
	for _, s := range c.sorted() {
		if s.sampled || s.off || s.exact.sides[0][Old].Hi == 0 || s.exact.sides[0][New].Hi == 0 {
			continue
		}
		for k, what := range quantities {
			old, fresh := s.exact.sides[k][Old], s.exact.sides[k][New]
			if s.exact.unknown[k] || min(old.runs, fresh.runs) < least {
				continue
			}
			switch {
			case old.Lo != old.Hi || fresh.Lo != fresh.Hi:
				r.Varied = append(r.Varied, Varied{s.place(), what, old.Range, fresh.Range})
			case old.Lo == fresh.Lo:
				r.Same++
			default:
				n := Count{Place: s.place(), What: what, Old: old.Lo, New: fresh.Lo}
				n.Verdict = c.judgeCount(n.Old, n.New)
				if what == Scopes {
					n.Callers = s.exact.changedCallers()
					n.Path = c.mostChanged(pairs[s.id], "count", n.New > n.Old)
				}
				r.Counted = append(r.Counted, n)
			}
		}
	}
	c.iterations(r, least)
	slices.SortStableFunc(r.Counted, func(a, b Count) int {
		return cmp.Or(compareBool(a.Guess, b.Guess), cmp.Compare(b.Verdict, a.Verdict),
			cmp.Compare(math.Abs(math.Log1p(b.Change())), math.Abs(math.Log1p(a.Change()))))
	})
}

// judgeCount returns the verdict on a number that differs.
func (c *Comparison) judgeCount(old, fresh uint64) Verdict {
	switch {
	case fresh > old && growth(old, fresh) >= c.options.Threshold:
		return Worse
	case fresh < old && growth(fresh, old) >= c.options.Threshold:
		return Better
	}
	return Changed
}

// countCautions returns what a reader should know about the counts before relying on them.
func (c *Comparison) countCautions() (list []string) {
	if c.options.Counts == CountsOff {
		return nil
	}
	for label, name := range [...]string{"old", "new"} {
		runs, lost := c.sides[label].Runs, c.sides[label].Runs-c.countable[label]
		if lost > 0 && (c.options.Counts == CountsOnly || lost < runs) {
			list = append(list, fmt.Sprintf("%d of the %d %s runs have not all counts: they were killed or still run, or were sampled; counts are compared without them", lost, runs, name))
		}
	}
	if c.options.Counts == CountsOnly && min(c.countable[Old], c.countable[New]) == 1 {
		list = append(list, "one run of a side cannot show that its counts are the same every time; make two or more, or be sure that the program is deterministic")
	}
	if c.processAlloc && c.options.Counts == CountsOnly {
		list = append(list, "allocation was read of the whole process, which is not exact; build with -deep to compare objects and bytes")
	}
	return list
}
