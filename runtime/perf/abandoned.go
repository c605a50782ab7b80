//go:build !markgen_off

package perf

import "runtime"

// What a panic or runtime.Goexit has left open ends when its goroutine passes a marker again, further up or in its place
// (virtual_open.go). Goroutines that have not by the end of a run would have it open in the data. When that end is in order, it
// is known of two kinds of them: who has ended has nothing open, and the one that ends the run nothing
// deeper in its stack than the function that does so. Of what is left this way each scope counts; it has a time if recover told when
// it ended.

// settleLeft ends all that is known to have been left. The state is stopped already, and the run is yet to be completed.
//
//go:norace
//go:nocheckptr
func settleLeft() {
	if !hasG || hot.slots == nil || hot.extras&extraUntimed != 0 {
		return
	}
	lock()
	all := owners
	unlock()
	g, deepest := beneath()
	for _, p := range all {
		s := p.stack
		switch {
		case s.n > 0 && p.claimGone():
			p.leftBehind(0)
		case p.g() == g:
			n := s.n
			for n > 0 && s.at(n-1).depth > deepest && s.at(n-1).kind() == kindOpened {
				n--
			}
			p.leftBehind(n)
		}
	}
}

// leftBehind ends the scopes above position n.
//
//go:norace
//go:nocheckptr
func (p *slot) leftBehind(n uint32) {
	for s := p.stack; p.stack == s && s.n > n && !p.frozen(); {
		if r := s.at(s.n - 1); s.n <= p.then && int64(p.recovered-r.start) >= 0 && hot.extras&extraTrace == 0 {
			p.settle(s.n-1, p.recovered)
		} else {
			p.drop()
		}
	}
}

// beneath gives the running g, and down to which depth there can be open scopes on its stack: what is deeper are frames of this package, and
// of what calls it at the end of a program.
//
//go:norace
func beneath() (g uintptr, words uint32) {
	var calls [mostCalls]call
	g, n, whole := walk(&calls)
	own := ""
	for _, c := range calls[:n] {
		f := runtime.FuncForPC(c.pc - 1)
		if f == nil {
			return g, 1<<32 - 1
		}
		name := runtime.FuncForPC(f.Entry()).Name() // whose frame it is: what is at c.pc may be inlined there
		if own == "" {
			own = packageOf(name)
		}
		switch packageOf(name) {
		case own, "runtime", "internal/runtime/exithook":
		default:
			if name != "os.runtime_beforeExit" {
				return g, c.words
			}
		}
	}
	if !whole {
		return g, 1<<32 - 1
	}
	return g, 0
}
