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

// A pool allocates memory that is reused after a reset.
type pool[T any] struct {
	chunks [][]T
	chunk  int // chunk allocated from
	used   int // number of elements used in it
}

// Chunks grow, so that a pool allocates at most a few times what is needed.
const firstChunk, mostChunk = 16, 4096

// take returns n consecutive elements, not zeroed.
func (p *pool[T]) take(n int) []T {
	for {
		if p.chunk == len(p.chunks) {
			p.chunks = append(p.chunks, make([]T, max(n, min(firstChunk<<min(len(p.chunks), 8), mostChunk))))
		}
		if c := p.chunks[p.chunk]; n <= len(c)-p.used {
			list := c[p.used : p.used+n : p.used+n]
			p.used += n
			return list
		}
		p.chunk, p.used = p.chunk+1, 0
	}
}

// back returns the last n elements of the latest take to the pool.
func (p *pool[T]) back(n int) { p.used -= n }

// one returns a zeroed element.
func (p *pool[T]) one() *T {
	one := &p.take(1)[0]
	*one = *new(T)
	return one
}

// reset makes all elements available again.
func (p *pool[T]) reset() { p.chunk, p.used = 0, 0 }
