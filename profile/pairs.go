package profile

import (
	"cmp"
	"slices"

	"github.com/markgen/markgen/registry"
)

// Pairs says which markers had scopes open on one goroutine's stack at once, in the runs
// that recorded that (the key pairs).
type Pairs struct {
	Runs uint64 // that recorded it
	Lost uint64 // scopes of which it is not known with which others they were open
	List []Pair // in order, each once
}

// A Pair is two markers, the smaller ID first. One that was open inside itself makes a
// pair with itself.
type Pair [2]registry.ID

// ComparePairs orders pairs by their IDs.
func ComparePairs(a, b Pair) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }

// NewPair is the pair of two markers.
func NewPair(a, b registry.ID) Pair { return Pair{min(a, b), max(a, b)} }

// Has tells whether the two had scopes open at once.
func (p *Pairs) Has(a, b registry.ID) bool {
	if p == nil {
		return false
	}
	_, found := slices.BinarySearchFunc(p.List, NewPair(a, b), ComparePairs)
	return found
}

// add returns the pairs that are in p or q, which are not changed; nil is none recorded.
func (p *Pairs) add(q *Pairs) *Pairs {
	if p == nil && q == nil {
		return nil
	}
	sum := &Pairs{List: make([]Pair, 0, len(p.list())+len(q.list()))}
	for _, one := range []*Pairs{p, q} {
		if one != nil {
			sum.Runs = Add64(sum.Runs, one.Runs)
			sum.Lost = Add64(sum.Lost, one.Lost)
			sum.List = append(sum.List, one.List...)
		}
	}
	slices.SortFunc(sum.List, ComparePairs)
	sum.List = slices.Clip(slices.Compact(sum.List))
	return sum
}

// list is what p has, which may be nil.
func (p *Pairs) list() []Pair {
	if p == nil {
		return nil
	}
	return p.List
}
