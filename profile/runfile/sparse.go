package runfile

import (
	"iter"
	"maps"
	"slices"
)

// sparse maps numbers of a file to values. Numbers may be arbitrary but are mostly consecutive,
// so they are stored in pages; no number in a file decides how much memory is allocated.
type sparse[T any] struct {
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

// pageOf returns the page of number i, or nil.
func (s *sparse[T]) pageOf(i uint64) *page[T] {
	if s.last == nil || i-s.last.first >= pageLen {
		s.last = s.pages[i/pageLen]
	}
	return s.last
}

// at returns the value of number i, or nil.
func (s *sparse[T]) at(i uint64) *T {
	if p := s.pageOf(i); p != nil {
		return p.of[i%pageLen]
	}
	return nil
}

// set sets the value of number i; nil removes it.
func (s *sparse[T]) set(i uint64, v *T) {
	p := s.pageOf(i)
	if p == nil {
		if v == nil {
			return
		}
		if s.pages == nil {
			s.pages = map[uint64]*page[T]{}
		}
		p = s.pool.one()
		p.first = i - i%pageLen
		s.pages[i/pageLen], s.last = p, p
	}
	p.of[i%pageLen] = v
}

// all returns an iterator over the values in ascending order of their numbers.
func (s *sparse[T]) all() iter.Seq2[uint64, *T] {
	return func(yield func(uint64, *T) bool) {
		for _, k := range slices.Sorted(maps.Keys(s.pages)) {
			p := s.pages[k]
			for i, v := range p.of {
				if v != nil && !yield(p.first+uint64(i), v) {
					return
				}
			}
		}
	}
}

// reset removes all values.
func (s *sparse[T]) reset() {
	clear(s.pages)
	s.last = nil
	s.pool.reset()
}
