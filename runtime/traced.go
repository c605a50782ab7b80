//go:build !markgen_off

package runtime

// traceEnter writes the record of a scope that has been pushed and began at t.
//
//go:norace
//go:nocheckptr
func (p *slot) traceEnter(index uint32, t uint64) {
	write(p, p.g(), index|RecordEnter<<RecordKindShift, t, tracing.enter)
}

// traceExit writes the record of a scope that is about to be popped and ended at
// t. One that was left without its end has its record.
//
//go:norace
//go:nocheckptr
func (p *slot) traceExit(index uint32, t uint64) {
	if p.left {
		return
	}
	cost := tracing.exit
	if p.stack.at(p.stack.n-1).depth == 0 {
		cost = tracing.exitCall
	}
	write(p, p.g(), index|RecordExit<<RecordKindShift, t, cost)
}

// traceLeft writes the record of the innermost scope, which a panic or
// runtime.Goexit has left. That shows at t, whenever it was.
//
//go:norace
//go:nocheckptr
func (p *slot) traceLeft(t uint64) {
	s := p.stack
	if s.n == 0 { // freeze has put it there
		return
	}
	i := s.at(s.n-1).index &^ scopeBits
	write(p, p.g(), i|RecordLeft<<RecordKindShift, t, tracing.point)
}

// tracePoint writes the record of a passage without a duration.
//
//go:norace
//go:nocheckptr
func tracePoint(index uint32) {
	var t uint64
	var g uintptr
	if hot.mono {
		t, g = uint64(nanotime()), getg()
	} else {
		t, g = ticksAndG()
	}
	write(nil, g, index|RecordPoint<<RecordKindShift, t, tracing.point)
}

// traceTaken says that a marker has taken the time since from in which nothing
// was passed: it got its index, say, or a cell.
//
//go:norace
//go:nocheckptr
func traceTaken(index uint32, from uint64) {
	if hot.extras&extraTrace != 0 {
		writeSlow(&traceRecord{from, goroutineOf(getg()), index | RecordTaken<<RecordKindShift, 0, 0})
	}
}

// popTraced ends the innermost scope where nothing is timed.
//
//go:norace
//go:nocheckptr
func (p *slot) popTraced(index uint32, t uint64) {
	s := p.stack
	if s.n == 0 { // freeze has put it there
		return
	}
	r := s.at(s.n - 1)
	if hot.extras&extraRead != 0 {
		p.leaving(index, t, toNS(less(t-r.start, (p.over-r.over+hot.inside)>>costBits)))
	} else if !p.left { // traceExit, without a call of it
		cost := tracing.exit
		if r.depth == 0 {
			cost = tracing.exitCall
		}
		write(p, p.g(), index|RecordExit<<RecordKindShift, t, cost)
	}
	p.mask = r.mask
	if s = p.stack; s.n > 0 {
		s.n--
	}
	p.activate(index, 1<<32-1)
	if hot.extras&(extraLimit|extraTrigger) != 0 {
		recorded(index)
	}
}
