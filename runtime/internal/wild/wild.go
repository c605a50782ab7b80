// Package wild picks the few functions at which a process with collect=wild collects. What many such
// processes have found out on the machines of those who use the program adds up to a profile of all of
// it, and none of them has noticed (US 9,027,000, "in the wild").
//
//	p := wild.Picker{Seed: seed, Most: 5, History: history}
//	p.Add(id, number) // for each function
//	picked, on, off := p.Update()
//
// What is picked does not depend on the order in which functions are added, nor on how many are added
// between updates. A Permit keeps more than MostProcesses of a user from collecting at once.
package wild

import (
	"github.com/markgen/markgen/runtime/internal/random"
	"github.com/markgen/markgen/runtime/layout"
)

// MostProcesses is how many processes of one user collect at once.
const MostProcesses = 6

// A Picker picks among the functions that are added to it, in this way: each function has a random number,
// its rank, exponentially distributed with a rate that is its weight, 1/(1+the runs it was measured in so
// far), and the functions with the smallest ranks are picked, but none that shares a stack with one picked
// already (Efraimidis and Spirakis, Weighted random sampling with a reservoir, Information Processing
// Letters 97, 2006). The rank follows from seed and ID. Given the ranks of all others, a function is picked
// if its own is below a limit: from that follows the probability by which it was picked, and an estimate
// over many runs that is free of bias (Cohen and Kaplan, Tighter estimation using bottom k sketches,
// VLDB 2008).
//
// One goroutine at a time may use a Picker.
type Picker struct {
	Seed    uint64  // of the random numbers
	Most    int     // how many functions are picked at most
	History History // of the program's functions

	heap   []function // those not in order, the least first
	order  []function // the least of all, in order, as far as Update has looked
	picked []function // of these, in order
	last   uint64     // no rank above that can change what is picked, or a limit
	stale  bool       // Update has something to do
}

// A Pick is a function that is picked.
type Pick struct {
	Number uint32 // as it was added
	Runs   uint32 // it was measured in so far, as far as is known
	Limit  uint64 // what its rank had to be less than, 32.32; layout.NoLimit: it was sure to be picked
}

// A function is one that can be picked.
type function struct {
	rank   uint64 // 32.32
	id     uint64
	number uint32
	runs   uint32
}

func (f function) less(g function) bool {
	return f.rank < g.rank || f.rank == g.rank && f.id < g.id
}

// Add adds the function of that ID to those that can be picked. Update tells it by its number.
//
//go:norace
func (p *Picker) Add(id uint64, number uint32) {
	f := function{id: id, number: number, runs: uint32(p.History.Runs(id))}
	f.rank = random.Exponential(random.Mix(p.Seed^random.Mix(id))) * uint64(f.runs+1)
	p.stale = p.stale || len(p.order) == 0 || f.rank <= p.last
	p.push(f)
}

// Update gives the functions that are picked of all that have been added, in the order of their ranks, and
// the numbers of those that are since the latest call, and of those that are no longer. It gives nothing if
// nothing has changed.
//
//go:norace
func (p *Picker) Update() (picked []Pick, on, off []uint32) {
	if !p.stale {
		return nil, nil, nil
	}
	for _, f := range p.order {
		p.push(f)
	}
	p.order = p.order[:0]
	before := p.picked
	p.picked = nil
	for n := 0; len(p.picked) < p.Most; n++ {
		f, ok := p.nth(n)
		if !ok {
			break
		}
		if !p.meets(p.picked, f) {
			p.picked = append(p.picked, f)
		}
	}
	p.last, p.stale = 0, false
	if len(p.picked) < p.Most {
		p.last = layout.NoLimit
	}
	for i, f := range p.picked {
		limit := p.limit(i)
		p.last = max(p.last, limit)
		picked = append(picked, Pick{f.number, f.runs, limit})
	}
	return picked, without(p.picked, before), without(before, p.picked)
}

// limit is what the rank of the i-th picked function had to be less than.
//
//go:norace
func (p *Picker) limit(i int) uint64 {
	f := p.picked[i]
	others := append([]function(nil), p.picked[:i]...)
	from := 0 // those before f are picked with and without it
	for p.order[from] != f {
		from++
	}
	for n := from + 1; ; n++ {
		other, ok := p.nth(n)
		if !ok {
			return layout.NoLimit
		}
		if p.meets(others, other) {
			continue
		}
		others = append(others, other)
		if len(others) == p.Most || p.History.Conflict(f.id, other.id) {
			return other.rank
		}
	}
}

// nth is the function with the n-th smallest rank, from 0; that before has been asked for.
//
//go:norace
func (p *Picker) nth(n int) (f function, ok bool) {
	if n == len(p.order) {
		if len(p.heap) == 0 {
			return f, false
		}
		p.order = append(p.order, p.pop())
	}
	return p.order[n], true
}

// meets says whether a function shares a stack with one of some.
//
//go:norace
func (p *Picker) meets(some []function, f function) bool {
	for _, other := range some {
		if p.History.Conflict(other.id, f.id) {
			return true
		}
	}
	return false
}

// without gives the numbers of those of some that are not among others.
//
//go:norace
func without(some, others []function) (numbers []uint32) {
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

// push and pop keep the heap.
//
//go:norace
func (p *Picker) push(f function) {
	h := append(p.heap, f)
	for i := len(h) - 1; i > 0 && h[i].less(h[(i-1)/2]); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	p.heap = h
}

//go:norace
func (p *Picker) pop() function {
	h := p.heap
	top, last := h[0], len(h)-1
	h[0] = h[last]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < last; c++ {
			if h[c].less(h[least]) {
				least = c
			}
		}
		if least == i {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
	p.heap = h[:last]
	return top
}
