package runfile

import (
	"iter"
	"maps"
	"slices"
)

// numbered maps numbers of a file to values. Numbers may be arbitrary but are mostly consecutive,
// so they are stored in pages; no number in a file decides how much memory is allocated.
type numbered[T any] struct {
	pages map[uint64]*page[T]
	last  *page[T] // most recently used
	pool  pool[page[T]]
}

// page holds the values of the numbers from first on, or nil.
type page[T any] struct {
	first uint64
	of    [pageLen]*T
}

const pageLen = 64

// page returns the page of number i, or nil.
func (n *numbered[T]) page(i uint64) *page[T] {
	if n.last == nil || i-n.last.first >= pageLen {
		n.last = n.pages[i/pageLen]
	}
	return n.last
}

// at returns the value of number i, or nil.
func (n *numbered[T]) at(i uint64) *T {
	if p := n.page(i); p != nil {
		return p.of[i%pageLen]
	}
	return nil
}

// set sets the value of number i; nil removes it.
func (n *numbered[T]) set(i uint64, v *T) {
	p := n.page(i)
	if p == nil {
		if v == nil {
			return
		}
		if n.pages == nil {
			n.pages = map[uint64]*page[T]{}
		}
		p = n.pool.one()
		p.first = i - i%pageLen
		n.pages[i/pageLen], n.last = p, p
	}
	p.of[i%pageLen] = v
}

// all returns an iterator over the values in ascending order of their numbers.
func (n *numbered[T]) all() iter.Seq2[uint64, *T] {
	return func(yield func(uint64, *T) bool) {
		for _, k := range slices.Sorted(maps.Keys(n.pages)) {
			p := n.pages[k]
			for i, v := range p.of {
				if v != nil && !yield(p.first+uint64(i), v) {
					return
				}
			}
		}
	}
}

// reset removes all values.
func (n *numbered[T]) reset() {
	clear(n.pages)
	n.last = nil
	n.pool.reset()
}
