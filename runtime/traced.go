//go:build !markgen_off

package runtime

// traceEnter writes the record of a scope that has been pushed and began at t.
//
//go:norace
//go:nocheckptr
func (p *slot) traceEnter(index uint32, t uint64) {
	const kind = RecordEnter << RecordKindShift
	if p.delayed { // the stack had to grow
		p.delayed = false
		writeSlow(&traceRecord{t, goroutineOf(p.g), index | kind, p.stack.n, 0})
		return
	}
	write(p.g, index|kind, p.stack.n, t, tracing.enter)
}

// traceExit writes the record of a scope that is about to be popped and ended at t.
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
	write(p.g, index|RecordExit<<RecordKindShift, p.stack.n, t, cost)
}

// traceLeft writes the record of the innermost scope, which a panic or
// runtime.Goexit has left. That shows at t, whenever it was.
//
//go:norace
//go:nocheckptr
func (p *slot) traceLeft(t uint64) {
	i := p.stack.at(p.stack.n-1).index &^ nestedBit
	write(p.g, i|RecordLeft<<RecordKindShift, p.stack.n, t, tracing.point)
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
	write(g, index|RecordPoint<<RecordKindShift, 0, t, tracing.point)
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
	p.leaving(index, t)
	n := p.stack.n - 1
	p.mask = p.stack.at(n).mask
	p.stack.n = n
	if p.active != nil {
		p.active = p.active.add(index, 1<<32-1)
	}
	if hot.extras&(extraLimit|extraTrigger) != 0 {
		recorded(index)
	}
}
