// Package multiset counts indexes of markers, such as those of the open scopes of a goroutine, in
// memory outside the Go heap.
//
//	s := pool.New(64)
//	s = s.Add(index, 1)       // may be a larger set in its place
//	nested := s.Count(index) > 0
//	pool.Free(s)
package multiset

import "unsafe"

// A Set is a hash table with open addressing, whose keys are never deleted. One goroutine at a time
// may use it. The index 0 is in no set.
type Set struct {
	pool  *Pool
	used  uint32
	lines uint32 // a power of two
	// lines of type line follow
}

type line struct{ index, count uint32 } // index is 0 in an empty line

// A Pool makes sets and reuses those that are no longer needed. Any goroutine may use it. It is a
// package variable: the garbage collector does not know that sets refer to it.
type Pool struct {
	Lock, Unlock func()
	Memory       func(size uintptr) unsafe.Pointer // zeroed; nil if there is none; called under the lock

	spare *Set // a list, each with the address of the next in its first line
}

// New returns an empty set with at least that many lines, a power of two, or nil if there is no
// memory.
//
//go:norace
//go:nocheckptr
func (p *Pool) New(lines uint32) *Set {
	p.Lock()
	s := p.spare
	if s != nil && s.lines >= lines {
		p.spare = *s.next()
		p.Unlock()
		clear(unsafe.Slice(s.at(0), s.lines))
		s.used = 0
		return s
	}
	s = (*Set)(p.Memory(unsafe.Sizeof(Set{}) + uintptr(lines)*unsafe.Sizeof(line{})))
	p.Unlock()
	if s != nil {
		s.pool, s.lines = p, lines
	}
	return s
}

// Free takes back a set that New or Add returned.
//
//go:norace
func (p *Pool) Free(s *Set) {
	p.Lock()
	*s.next() = p.spare
	p.spare = s
	p.Unlock()
}

// Empty returns a set that stays empty: Count may be called, and Add may not.
func Empty() *Set {
	s := new(struct {
		Set
		line
	})
	s.lines = 1
	return &s.Set
}

//go:norace
//go:nocheckptr
func (s *Set) at(i uint32) *line {
	return (*line)(unsafe.Add(unsafe.Pointer(s), unsafe.Sizeof(Set{})+uintptr(i)*unsafe.Sizeof(line{})))
}

// next returns where a spare set has the address of the next one.
//
//go:norace
//go:nocheckptr
func (s *Set) next() **Set { return (**Set)(unsafe.Pointer(s.at(0))) }

// find returns the line of index, or the empty line where it would be added. The multiplier is 2^32
// divided by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
//
//go:norace
func (s *Set) find(index uint32) *line {
	for i := index * 0x9e3779b1; ; i++ {
		if l := s.at(i & (s.lines - 1)); l.index == index || l.index == 0 {
			return l
		}
	}
}

// Count returns the count of index.
//
//go:norace
func (s *Set) Count(index uint32) uint32 {
	l := s.find(index)
	if l.index == 0 {
		return 0
	}
	return l.count
}

// Add adds n, which may be -1 as an uint32, to the count of index. It returns the set, or the larger
// one that replaces it, whereupon the caller frees the old one; nil if there is no memory for that.
//
//go:norace
func (s *Set) Add(index, n uint32) *Set {
	l := s.find(index)
	if l.index == 0 {
		if 2*s.used >= s.lines {
			bigger := s.pool.New(2 * s.lines)
			if bigger == nil {
				return nil
			}
			for i := range s.lines {
				if l := s.at(i); l.count > 0 {
					*bigger.find(l.index) = *l
					bigger.used++
				}
			}
			s = bigger
			l = s.find(index)
		}
		l.index = index
		s.used++
	}
	l.count += n
	return s
}

// Lines returns the number of lines, see Line.
//
//go:norace
func (s *Set) Lines() uint32 { return s.lines }

// Line returns the index in line i, which is below Lines; 0 if there is none, or its count is 0.
//
//go:norace
func (s *Set) Line(i uint32) uint32 {
	if l := s.at(i); l.count > 0 {
		return l.index
	}
	return 0
}
