package multiset

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// kept is the memory of pools in tests, which the garbage collector does not move or free.
var kept [][]uint64

func newPool() *Pool {
	return &Pool{Lock: func() {}, Unlock: func() {}, Memory: func(size uintptr) unsafe.Pointer {
		b := make([]uint64, (size+7)/8)
		kept = append(kept, b)
		return unsafe.Pointer(&b[0])
	}}
}

// A set has the counts of a map, whatever is added and taken away, and so has one made of a set that
// was freed.
func TestSet(t *testing.T) {
	p := newPool()
	for range 3 {
		s, want := p.New(4), map[uint32]uint32{}
		for range 10_000 {
			index := 1 + rand.Uint32N(200)
			n := uint32(1)
			if want[index] > 0 && rand.IntN(2) == 0 {
				n = 1<<32 - 1
			}
			want[index] += n
			if larger := s.Add(index, n); larger != s {
				p.Free(s)
				s = larger
			}
		}
		open := 0
		for index := range uint32(202) {
			if index > 0 && s.Count(index) != want[index] {
				t.Errorf("%d of %d, want %d", s.Count(index), index, want[index])
			}
			if want[index] > 0 {
				open++
			}
		}
		for i := range s.Lines() {
			if index := s.Line(i); index != 0 {
				open--
				if want[index] == 0 {
					t.Errorf("%d in a line", index)
				}
			}
		}
		if open != 0 {
			t.Errorf("%d in no line", open)
		}
		p.Free(s)
	}
	if s := Empty(); s.Count(1) != 0 || s.Count(7) != 0 {
		t.Error("the empty set has members")
	}
}

func TestNoMemory(t *testing.T) {
	p := newPool()
	s := p.New(2)
	p.Memory = func(uintptr) unsafe.Pointer { return nil }
	if s = s.Add(1, 1); s == nil || s.Add(2, 1) != nil || s.Count(1) != 1 || p.New(8) != nil {
		t.Error("a set without memory")
	}
}
