//go:build !markgen_off

package perf

import (
	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// With paths, a sample has whole paths: sample=1:N records one in N outermost scopes of sampled
// markers, with all scopes inside, and only counts the others. A scope of a sampled marker is outermost
// if there is none around it on its goroutine. As without paths, a marker is sampled from about its
// thousandth scope on, under a new index, and what was recorded before stays exact:
//
//	main                exact
//	  serve             outermost: one call in N is recorded
//	    query           with the call of serve around it
//
// A scope inside one of its marker from before it was sampled is exact, too: a marker is once on a path.
//
// An outermost scope is on the stack even if it is only counted. So the scopes around it know its
// time, and scopes of markers that are not sampled yet, which are always recorded, have it on their
// path. What it contains is counted and not on the stack.

// Bits of record.index of a scope that decides about those inside.
const (
	outerBit  = 1 << 28 // it is the outermost scope of a sampled marker
	passedBit = 1 << 27 // and is not recorded
	wholeBits = outerBit | passedBit
)

// wholePaths reports whether whole paths are sampled.
func (c *settings) wholePaths() bool { return c.Paths != 0 && c.Sample > 1 }

// lookAt is called at one scope in so many (hot.look), of the marker of that index.
//
//go:norace
func lookAt(index uint32) {
	if conf.wholePaths() {
		samplePaths(index)
	} else {
		demoteAt(index)
	}
}

// samplePaths begins to sample the marker of that index, if it has enough scopes.
//
//go:norace
//go:noinline
func samplePaths(index uint32) {
	if index < firstIndex {
		return // calibration
	}
	from := now()
	lock()
	if u := indexed(index); u != nil && !noRun() && nextIndex() < maxIndex && shared.Load(&u.marker.index) == index && scopeCount(index) >= sampleAfter {
		if t, _ := findTable(u.marker); t != nil && !t.ofStopwatch() {
			shared.Swap(&u.marker.index, index, anotherIndex(index)|layout.IndexOff|layout.IndexCounted)
		}
	}
	unlock()
	discount(from)
}

// sampledScope returns the index under which a scope of a sampled marker begins, with wholeBits; 0 if it
// is only counted.
//
//go:norace
func sampledScope(i uint32) uint32 {
	if hot.hooks&hookPaths == 0 {
		if due(i) {
			return i
		}
		return 0
	}
	if conf.wholePaths() {
		g := getg()
		p, key, _ := near(g)
		if p.key != key {
			p = find(g)
		}
		if first := baseOf(i); p != nil && p.mask>>(first%64)&1 != 0 && p.nested(first) {
			return first
		}
		if outer := p.sampled(); outer != 0 {
			countScope(i)
			if outer&passedBit != 0 {
				return 0
			}
			return i
		}
	}
	if due(i) {
		return i | outerBit
	}
	return i | wholeBits
}

// sampled returns the wholeBits of the open outermost scope of a sampled marker; 0 if there is none.
// The slot may be nil.
//
//go:norace
func (p *slot) sampled() uint32 {
	if p == nil {
		return 0
	}
	s := p.stack
	if n := s.outer; n != 0 && n <= s.n {
		return s.at(n-1).index & wholeBits
	}
	return 0
}

// countScope counts a scope of the marker of that index, whose outermost scope decides about it.
//
//go:norace
func countScope(index uint32) {
	for {
		pid := procPin()
		if c := cellOf(pid, index); c != nil && c.Rate != 0 {
			c.Seen++
			procUnpin()
			return
		}
		procUnpin()
		if !makeRate(pid, index) {
			return
		}
	}
}

// enteredPassed is entered for a scope with passedBit. Collectors are read for the scopes around it.
//
//go:norace
func (p *slot) enteredPassed() {
	switch {
	case hot.hooks&hookRead == 0:
	case conf.AtEdges == "":
		p.readStart()
	default:
		p.readNothing()
	}
}

// passed ends the innermost scope, which is only counted, at tick t.
//
//go:norace
func (p *slot) passed(t uint64) {
	s := p.stack
	r := s.at(s.n - 1)
	ns := p.duration(r, elapsed(r.start, t))
	p.leave(r, ns)
	if hot.hooks&hookRead != 0 {
		p.readEnd(0, t, ns)
	}
	s.found = min(s.found, s.n-1)
	s.n--
}
