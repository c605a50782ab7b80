package profile

import (
	"cmp"
	"slices"

	"github.com/markgen/markgen/registry"
)

// Pairs are the pairs of markers that had scopes open at the same time on one goroutine's stack, in
// runs that recorded it (the key pairs).
type Pairs struct {
	Runs uint64 // number of runs that recorded pairs
	Lost uint64 // scopes whose pairs could not be recorded
	List []Pair // sorted, without duplicates
}

// A Pair is two markers, the smaller ID first. A marker with a scope open inside its own scope
// makes a pair with itself.
type Pair [2]registry.ID

// ComparePairs orders pairs by ID.
func ComparePairs(a, b Pair) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }

// NewPair returns the pair of two markers.
func NewPair(a, b registry.ID) Pair { return Pair{min(a, b), max(a, b)} }

// Has reports whether both had scopes open at the same time.
func (p *Pairs) Has(a, b registry.ID) bool {
	if p == nil {
		return false
	}
	_, found := slices.BinarySearchFunc(p.List, NewPair(a, b), ComparePairs)
	return found
}

// add returns the union of p and q, which it does not modify; nil if neither was recorded.
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

// list returns the pairs of p, which may be nil.
func (p *Pairs) list() []Pair {
	if p == nil {
		return nil
	}
	return p.List
}
