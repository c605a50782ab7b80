//go:build !markgen_off

package perf

// A panic or runtime.Goexit leaves scopes open: nothing calls their ends. They end when the
// goroutine, or another that has got its g, executes a marker again (unwind, endLeft), when recover
// stops the panic (virtual_recover.go), or at the end of the run (endAllLeft). Scopes that are
// still running then stay open in the data.

// endLeft ends the scopes above position n, which a panic or runtime.Goexit has left: at the time
// at which recover stopped the panic, if that is known, else at tick t.
//
//go:norace
//go:noinline
func (p *slot) endLeft(n uint32, t uint64) {
	sinceStopped := p.sinceStopped()
	for s := p.stack; p.stack == s && s.n > n && !p.frozen(); { // a trigger may begin another run
		r := s.at(s.n - 1)
		end, later := t, uint64(0)
		if s.n <= p.then && int64(p.recovered-r.start) >= 0 {
			end, later = p.recovered, sinceStopped
		} else if int64(ownWindow().closed-r.start) > 0 || conf.windows() && int64(windowClosed-r.start) > 0 {
			p.drop() // its marker was turned off, perhaps before the scope ended
			continue
		}
		if hot.hooks&hookTrace != 0 {
			p.traceLeft(t)
		}
		p.unwinding = true
		p.over -= later
		p.end(r.index&^scopeBits, end)
		p.over += later
		p.unwinding = false
	}
}

// end ends the innermost scope, of the marker of that index, at tick t.
//
//go:norace
func (p *slot) end(index uint32, t uint64) {
	if n := p.stack.n; n > 0 {
		Entered{at: uint64(n), slot: p, index: index}.exit(t, 0)
	}
}

// drop ends the innermost scope without a duration; it is counted.
//
//go:norace
func (p *slot) drop() {
	s := p.stack
	r := s.at(s.n - 1)
	i := r.index &^ scopeBits
	if r.index&shutBit != 0 {
		reopen(i)
	}
	p.child = r.saved
	p.unmask(r)
	at, node := r.start, uint32(0)
	if hot.hooks&hookPaths != 0 {
		node = s.popNode(s.n)
	}
	s.n--
	if r.index&passedBit != 0 {
		return
	}
	recordSlow(i, &endedScope{at: at, slot: p, node: node})
	if hot.hooks != 0 {
		recorded(i)
	}
}

// abandon drops the scopes that an earlier goroutine of this g left when runtime.Goexit ended it,
// at an unknown time.
//
//go:norace
func (p *slot) abandon() {
	p.stack = p.stack.scopes()
	for p.stack.n > 0 && !p.frozen() {
		p.drop()
	}
	p.then = 0
}

// unwind ends the scopes whose frames are gone, when a scope of the marker of that index opens
// at a depth: scopes that were opened deeper in the stack, and one of the same marker in the same
// frame. (The compiler may inline a function into itself, once. A function that calls itself is
// therefore rewritten so that it is not inlined: chooseForm in package rewrite.)
//
//go:norace
func (p *slot) unwind(index, depth uint32, t uint64) {
	s := p.stack
	for n := s.n; n > 0 && p.stack == s; n-- {
		r := s.at(n - 1)
		if r.depth < depth {
			return
		}
		if r.depth > depth || r.index&^scopeBits == index {
			p.endLeft(n-1, t)
		}
	}
}

// endAllLeft ends, with the run, the scopes that are known to have been left: the scopes of dead
// goroutines, and those of the goroutine that ends the run which are deeper in its stack than the
// function that ends it. A scope has a duration if recover recorded when it ended. The state is
// already stopped, and complete has yet to finish.
//
//go:norace
func endAllLeft() {
	if !hasOpen || !hasG || hot.slots == nil || hot.hooks&hookUntimed != 0 {
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

// leftBehind ends the scopes above position n, which have been left.
//
//go:norace
func (p *slot) leftBehind(n uint32) {
	for s := p.stack; p.stack == s && s.n > n && !p.frozen(); {
		if r := s.at(s.n - 1); s.n <= p.then && int64(p.recovered-r.start) >= 0 && hot.hooks&hookTrace == 0 {
			p.endLeft(s.n-1, p.recovered)
		} else {
			p.drop()
		}
	}
}
