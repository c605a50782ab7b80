package profile

import (
	"iter"
	"slices"
)

// numbered finds things by the numbers that a file gives them: in a slice as far as
// numbers of sound files go, beyond that in a map, so that no number in a file
// decides how much memory is taken.
type numbered[T any] struct {
	low  []*T // nil: there is none of that number
	high map[uint64]*T
}

const mostLow = 1 << 20

// at is what has the number, nil if there is nothing.
func (n *numbered[T]) at(i uint64) *T {
	if i < uint64(len(n.low)) {
		return n.low[i]
	}
	return n.high[i]
}

// set gives the number to v; nil takes it away.
func (n *numbered[T]) set(i uint64, v *T) {
	switch {
	case i < uint64(len(n.low)):
		n.low[i] = v
	case v == nil:
		delete(n.high, i)
	case i < mostLow:
		n.low = slices.Grow(n.low, int(i)+1-len(n.low))[:i+1]
		n.low[i] = v
	default:
		if n.high == nil {
			n.high = map[uint64]*T{}
		}
		n.high[i] = v
	}
}

// all gives what there is: in ascending order as far as the slice goes.
func (n *numbered[T]) all() iter.Seq2[uint64, *T] {
	return func(yield func(uint64, *T) bool) {
		for i, v := range n.low {
			if v != nil && !yield(uint64(i), v) {
				return
			}
		}
		for i, v := range n.high {
			if !yield(i, v) {
				return
			}
		}
	}
}

// reset takes all numbers away. What lies behind a slice's length is always nil.
func (n *numbered[T]) reset() {
	clear(n.low)
	n.low, n.high = n.low[:0], nil
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
			p.chunks = append(p.chunks, make([]T, max(n, min(firstChunk<<len(p.chunks), mostChunk))))
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
