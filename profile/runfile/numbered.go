package runfile

import (
	"iter"
	"maps"
	"slices"
)

// numbered finds things by the numbers that a file gives them, which may be any but mostly
// follow each other: by pages of them, so that no number in a file decides how much memory
// is taken.
type numbered[T any] struct {
	pages map[uint64]*page[T]
	last  *page[T] // the one looked at last
	pool  pool[page[T]]
}

// page has those with numbers from first on; nil: there is none of that number.
type page[T any] struct {
	first uint64
	of    [pageLen]*T
}

const pageLen = 64

// page is the one for a number, nil if there is none.
func (n *numbered[T]) page(i uint64) *page[T] {
	if n.last == nil || i-n.last.first >= pageLen {
		n.last = n.pages[i/pageLen]
	}
	return n.last
}

// at is what has the number, nil if there is nothing.
func (n *numbered[T]) at(i uint64) *T {
	if p := n.page(i); p != nil {
		return p.of[i%pageLen]
	}
	return nil
}

// set gives the number to v; nil takes it away.
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

// all gives what there is, in ascending order.
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

// reset takes all numbers away.
func (n *numbered[T]) reset() {
	clear(n.pages)
	n.last = nil
	n.pool.reset()
}

// pool gives out memory that is used again after a reset.
type pool[T any] struct {
	chunks [][]T
	chunk  int // from which is given out
	used   int // of it
}

// Chunks become longer, so that what is taken is no more than a few times what is
// needed.
const firstChunk, mostChunk = 16, 4096

// take gives out n that stand one behind the other, with whatever is in them.
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

// back takes back the last n of those that were taken last.
func (p *pool[T]) back(n int) { p.used -= n }

// one gives out a single one, zeroed.
func (p *pool[T]) one() *T {
	one := &p.take(1)[0]
	*one = *new(T)
	return one
}

// reset takes all back.
func (p *pool[T]) reset() { p.chunk, p.used = 0, 0 }
