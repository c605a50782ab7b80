//go:build !markgen_off

package perf

// exit ends an open scope at tick t, or now if t is 0, and records it. If size is above 0, the size
// of its input is size-1. This is the fast path; exitAt handles every case.
//
//go:norace
func (e Entered) exit(t uint64, size int) (none Entered) {
	i, p := e.index, e.slot
	if x := hot.hooks; x != 0 {
		if x == hookPaths && p != nil {
			e.exitOnPath(t, size)
			return none
		}
		if x&hookTrigger != 0 && !isWatched(i) {
			x &^= hookTrigger
		}
		if x == onlyTrace && p != nil {
			e.exitTraced(t, size)
			return none
		}
		if x != 0 {
			if t == 0 {
				t = now()
			}
			e.exitAt(t, size)
			return none
		}
	}
	switch {
	case t != 0:
	case hot.mono:
		t = uint64(nanotime())
	default:
		t = ticks()
	}
	var d, ns, self uint64
	pid := procPin() // while pinned, the next run makes no cell on this processor
	if p != nil {
		s := p.stack
		pos := uint32(e.at)
		if s.n != pos || s.at(pos-1).index != i || p.runEnded != 0 {
			procUnpin()
			e.exitAt(t, size)
			return none
		}
		r := s.at(pos - 1)
		d = elapsed(r.start, t)
		ns = p.duration(r, d)
		self = p.leave(r, ns)
		s.n = pos - 1
	} else {
		d = t - e.at
		if hot.self || int64(e.at-readyAt) < 0 || int64(d) < 0 {
			procUnpin()
			e.exitAt(t, size)
			return none
		}
		ns = toNS(subtract(d, hot.inside>>costBits))
		self = ns
	}
	if c := cellOf(pid, i); c != nil {
		b := c.Latest.P
		if !c.InLatest(ns) {
			b = c.Switch(ns)
		}
		if b != nil {
			b.Add(ns)
			c.Note(ns, self, d, t)
			if hasRate(i) {
				shards[pid].recorded++
			}
			look := b.Count&hot.look == 0 || t > hot.again
			procUnpin()
			if size > 0 {
				p.sized(i, size-1, ns)
			}
			if look {
				demoteAt(i)
			}
			return none
		}
	}
	procUnpin()
	p.finish(i, &endedScope{true, 0, ns, self, d, t, p, 0}, size)
	return none
}

// exitAt is the slow path of exit; it handles all scopes.
//
//go:norace
//go:noinline
func (e Entered) exitAt(t uint64, size int) {
	i, p := e.index, e.slot
	if p == nil {
		if int64(e.at-readyAt) < 0 {
			return // it belongs to an earlier run
		}
		if lostOnSystemStack() {
			return
		}
		if hot.hooks&hookTrace != 0 {
			if g := getg(); g == 0 || !find(g).reads() {
				tracing.rings.Lose()
			}
			if hot.hooks&hookUntimed != 0 {
				return
			}
		}
		d := elapsed(e.at, t)
		ns, how := toNS(subtract(d, hot.inside>>costBits)), uint8(0)
		if hot.self {
			how = endedNoSelf
		}
		p.finish(i, &endedScope{true, how, ns, ns, d, t, nil, 0}, size)
		return
	}
	pos := uint32(e.at)
	if p.frozen() { // it stays open in the data of its run, which has ended
		return
	}
	if p.stack.n < pos || p.stack.at(pos-1).index&^scopeBits != i { // it is no longer on the stack
		return
	}
	if p.stack.n != pos {
		p.endLeft(pos, t)
		p.then = 0
	}
	s := p.stack
	if s.n != pos { // the run ended before the scopes left open inside it were closed
		return
	}
	if hot.hooks&hookUntimed != 0 {
		p.popTraced(i, t)
		return
	}
	r := s.at(pos - 1)
	if r.index&passedBit != 0 {
		p.passed(t)
		return
	}
	how := uint8(r.index / firstBit)
	if how&endedShut != 0 {
		reopen(i)
	}
	d := elapsed(r.start, t)
	ns := p.duration(r, d)
	done := endedScope{true, how, ns, p.leave(r, ns), d, t, p, 0}
	if hot.hooks != 0 {
		if hot.hooks&(hookRead|hookTrace) != 0 {
			p.leaving(i, r.kind(), t, ns)
		}
		if hot.hooks&hookPaths != 0 {
			done.node = s.popNode(pos)
		}
		if hot.hooks&hookEdge != 0 {
			p.edge(i, pos, &done)
		}
	}
	s.n = pos - 1
	p.finish(i, &done, size)
}

// elapsed returns the ticks between two readings of the clock. It returns 0 if the difference is
// negative, as it can be between two processors.
func elapsed(from, to uint64) uint64 {
	d := to - from
	if int64(d) < 0 {
		return 0
	}
	return d
}

// duration returns the duration in ns of the innermost scope, whose record is r and which ended
// after d ticks, less the cost of the markers in it.
//
//go:norace
func (p *slot) duration(r *record, d uint64) (ns uint64) {
	return max(p.child, toNS(subtract(d, (p.over-r.over+hot.inside)>>costBits)))
}

// leave adds ns, the duration of the innermost scope, whose record is r, to the children of the
// enclosing scope, and returns its self time. The record stays on the stack.
//
//go:norace
func (p *slot) leave(r *record, ns uint64) (self uint64) {
	self = ns - p.child
	p.child = r.saved + ns
	p.over += hot.cost[r.kind()]
	p.unmask(r)
	return self
}

// unmask restores the mask as it was before the innermost scope, whose record is r.
//
//go:norace
func (p *slot) unmask(r *record) {
	if r.index&nestedBit == 0 {
		p.mask = r.mask
	}
}

// finish records a scope of marker i that has ended.
//
//go:norace
//go:noinline
func (p *slot) finish(i uint32, done *endedScope, size int) {
	if p == nil && lostOnSystemStack() {
		return
	}
	pid := procPin()
	c := cellOf(pid, i)
	there := !done.over() && c != nil && done.recordIn(pid, c)
	if there && hasRate(i) {
		shards[pid].recorded++
	}
	look := there && (c.Latest.P != nil && c.Latest.P.Count&hot.look == 0 || done.at > hot.again)
	procUnpin()
	if look {
		lookAt(i)
	}
	if !there {
		from := now()
		recordSlow(i, done)
		p.ended(i, done.ns, done.how)
		p.discount(from)
		if conf.windows() && hasRate(i) {
			addWindowCost(from, now()-from)
		}
	} else if done.how&endedFirst != 0 {
		p.ended(i, done.ns, done.how)
	}
	if hot.hooks&^hookPaths != 0 {
		recorded(i)
	}
	if size > 0 {
		p.sized(i, size-1, done.ns)
	}
}
