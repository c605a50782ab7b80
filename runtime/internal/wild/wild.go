// Package wild picks the few functions at which a process with collect=wild collects. The data of
// many such processes, on the machines of the program's users, add up to a profile of the complete
// program, at a cost that no process notices (US 9,027,000, "in the wild").
//
//	p := wild.Picker{Seed: seed, Max: 5, History: history}
//	p.Add(id, number) // for each function
//	picked, on, off := p.Update()
//
// The picks do not depend on the order in which functions are added, nor on the number added
// between updates. Permits limit the processes of a user that collect at once to MaxProcesses.
package wild

import (
	"github.com/markgen/markgen/runtime/internal/random"
	"github.com/markgen/markgen/runtime/layout"
)

// MaxProcesses is the maximum number of processes of one user that collect at once.
const MaxProcesses = 6

// A Picker picks among the functions that are added to it. Each function has a random number, its
// rank, exponentially distributed with a rate that is its weight, 1/(1+the number of runs that
// measured it). The functions with the smallest ranks are picked, except those that share a stack
// with one already picked (Efraimidis and Spirakis, Weighted random sampling with a reservoir,
// Information Processing Letters 97, 2006). The rank follows from seed and ID. Given the ranks of
// all others, a function is picked if its own is below a limit, which gives the probability of the
// pick, and an unbiased estimate over many runs (Cohen and Kaplan, Tighter estimation using bottom
// k sketches, VLDB 2008).
//
// One goroutine at a time may use a Picker.
type Picker struct {
	Seed    uint64  // of the random numbers
	Max     int     // maximum number of functions picked
	History History // of the program's functions

	all    []function
	order  []*function // those of smallest rank, sorted, as far as Update has needed
	picked []*function // the picked ones among them, sorted
	last   uint64      // no higher rank can change a pick or a limit
	stale  bool        // Add has added a function that may change a pick or a limit
}

// A Pick is a function that is picked.
type Pick struct {
	Number uint32 // as passed to Add
	Runs   uint32 // number of earlier runs known to have measured it
	// Limit is the exclusive upper bound that its rank had to meet, 32.32; layout.NoLimit if it was
	// certain to be picked.
	Limit uint64
}

// A function is a candidate.
type function struct {
	rank   uint64 // 32.32
	id     uint64
	number uint32
	runs   uint32
}

//go:norace
func (f *function) less(g *function) bool {
	return f.rank < g.rank || f.rank == g.rank && f.id < g.id
}

// Add adds the function of that ID to the candidates. Update refers to it by its number.
//
//go:norace
func (p *Picker) Add(id uint64, number uint32) {
	f := function{id: id, number: number, runs: uint32(p.History.Runs(id))}
	f.rank = random.Exponential(random.Mix(p.Seed^random.Mix(id))) * uint64(f.runs+1)
	p.stale = p.stale || len(p.order) == 0 || f.rank <= p.last
	p.all = append(p.all, f)
}

// Update returns the picked functions, of all that have been added, sorted by rank, and the numbers
// of those that became picked since the previous call, and of those that no longer are. It returns
// nil if nothing has changed.
//
//go:norace
func (p *Picker) Update() (picked []Pick, on, off []uint32) {
	if !p.stale {
		return nil, nil, nil
	}
	p.order = p.order[:0]
	before := p.picked
	p.picked = nil
	for n := 0; len(p.picked) < p.Max; n++ {
		f := p.nth(n)
		if f == nil {
			break
		}
		if !p.conflicts(p.picked, f) {
			p.picked = append(p.picked, f)
		}
	}
	p.last, p.stale = 0, false
	if len(p.picked) < p.Max {
		p.last = layout.NoLimit
	}
	for i, f := range p.picked {
		limit := p.limit(i)
		p.last = max(p.last, limit)
		picked = append(picked, Pick{f.number, f.runs, limit})
	}
	return picked, without(p.picked, before), without(before, p.picked)
}

// limit returns the exclusive upper bound that the rank of picked function i had to meet.
//
//go:norace
func (p *Picker) limit(i int) uint64 {
	f := p.picked[i]
	others := append([]*function(nil), p.picked[:i]...)
	from := 0 // the functions before f are picked with and without f
	for p.order[from] != f {
		from++
	}
	for n := from + 1; ; n++ {
		other := p.nth(n)
		if other == nil {
			return layout.NoLimit
		}
		if p.conflicts(others, other) {
			continue
		}
		others = append(others, other)
		if len(others) == p.Max || p.History.Conflict(f.id, other.id) {
			return other.rank
		}
	}
}

// nth returns the function with the n-th smallest rank, from 0, or nil. nth(n-1) must have been called
// before.
//
//go:norace
func (p *Picker) nth(n int) *function {
	if n < len(p.order) {
		return p.order[n]
	}
	var next *function
	for i := range p.all {
		if f := &p.all[i]; (n == 0 || p.order[n-1].less(f)) && (next == nil || f.less(next)) {
			next = f
		}
	}
	if next != nil {
		p.order = append(p.order, next)
	}
	return next
}

// conflicts reports whether f shares a stack with one of some.
//
//go:norace
func (p *Picker) conflicts(some []*function, f *function) bool {
	for _, other := range some {
		if p.History.Conflict(other.id, f.id) {
			return true
		}
	}
	return false
}

// without returns the numbers of the functions in some that are not in others.
//
//go:norace
//go:noinline
func without(some, others []*function) (numbers []uint32) {
next:
	for _, f := range some {
		for _, other := range others {
			if other.number == f.number {
				continue next
			}
		}
		numbers = append(numbers, f.number)
	}
	return numbers
}
