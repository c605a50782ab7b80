//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/trace"
	"github.com/markgen/markgen/runtime/layout"
)

// tracing is the state needed to make a record; it is written at start.
var tracing = struct {
	_     [64]byte
	rings *trace.Rings // of this run, or &noRings; a goroutine writing to an older run's rings keeps using those
	enter uint64       // cost of an enter record, ticks<<costBits
	exit  [4]uint64    // cost of an exit record, by record.kind
	point uint64       // cost of a point record
	_     [64]byte
}{rings: &noRings}

// noRings are the rings while there is no trace: a record written then belongs to an earlier run
// and is lost.
var noRings trace.Rings

// defaultBuffer is the size of a ring without the key buffer, in bytes.
const defaultBuffer = 4 << 20

// startTrace prepares the trace, before calibrate.
//
//go:norace
func startTrace() {
	room := conf.Buffer
	if room == 0 {
		room = defaultBuffer
	}
	lock()
	rings := (*trace.Rings)(arena.New(unsafe.Sizeof(trace.Rings{})))
	unlock()
	if rings == nil {
		return
	}
	rings.Open(trace.Host{
		Lock: lock, Unlock: unlock, Now: now, NewBlock: newRing, Publish: publishRing,
		Discount: discount,
	}, header, room/layout.RecordSize)
	tracing.rings = rings
	hot.hooks |= hookTrace
	flags := uint64(layout.FlagTraced)
	if !conf.Collects("time") {
		hot.hooks |= hookUntimed
		flags |= layout.FlagUntimed
	}
	setHeader(layout.OffFlags, atomic.LoadUint64(headerWord(layout.OffFlags))|flags)
}

// publishRing publishes a block of trace records. It is a function, since the garbage collector
// would free a method value that only Rings have.
//
//go:norace
func publishRing(b unsafe.Pointer) { space.Publish(b) }

// newRing makes a block of trace records. It returns nil if the block would not be in the file, as
// nothing reads a ring that is in memory only.
//
//go:norace
func newRing(shard uint32, size uintptr) unsafe.Pointer {
	if space.IsOpen() {
		if b := space.New(layout.BlockRing, shard, size); space.InFile() {
			return b
		}
	}
	return nil
}

// write is Rings.Write for this run's rings, which it loads when the caller is pinned. It has to be
// inlined.
//
//go:norace
//go:nosplit
func write(pid int, id uint64, what, level uint32, t, cost uint64) {
	tracing.rings.Write(pid, id, what, level, t, cost)
}

// addTraced adds the durations of a batch's scopes to scratch, from their records, in runs without
// cells.
//
//go:norace
func addTraced() {
	if hot.hooks&hookUntimed != 0 {
		scratch.Ticks += tracing.rings.ScratchTicks()
	}
}

// setTraceCosts sets the costs of records. The part of a scope's cost inside its own duration is
// the cost of its enter record, the rest the cost of its exit record.
//
//go:norace
func setTraceCosts(point uint64) {
	tracing.enter = hot.inside
	for kind, whole := range hot.cost {
		tracing.exit[kind] = subtract(whole, hot.inside)
	}
	tracing.point = point
}

// trace writes a record of the goroutine. If the work for the scope took unusually long (delayed),
// the record includes its duration.
//
//go:norace
func (p *slot) trace(what uint32, t, cost uint64) {
	if level := p.stack.n; p.delayed {
		p.delayed = false
		tracing.rings.WriteSlow(goidOf(p.g()), what, level, t)
	} else {
		write(procPin(), goidOf(p.g()), what, level, t, cost)
	}
}

// traceExit writes the record of a scope that is about to be popped and ended at tick t. A scope
// that a panic or Goexit left already has a record (traceLeft).
//
//go:norace
func (p *slot) traceExit(index, kind uint32, t uint64) {
	if p.unwinding {
		return
	}
	p.trace(index|layout.RecordExit<<layout.RecordKindShift, t, tracing.exit[kind])
}

// traceLeft writes the record of the innermost scope, which a panic or runtime.Goexit has left. t
// is when that was noticed, not when it happened.
//
//go:norace
func (p *slot) traceLeft(t uint64) {
	s := p.stack
	i := s.at(s.n-1).index &^ scopeBits
	p.trace(i|layout.RecordLeft<<layout.RecordKindShift, t, tracing.point)
}

// tracePoint writes the record of an execution without a duration.
//
//go:norace
func tracePoint(index uint32) {
	var t uint64
	var g uintptr
	if hot.mono {
		t, g = uint64(nanotime()), getg()
	} else {
		t, g = ticksAndG()
	}
	write(procPin(), goidOf(g), index|layout.RecordPoint<<layout.RecordKindShift, 0, t, tracing.point)
}

// traceTaken records that a marker used the time since tick from for itself, in which no scope was
// recorded: for getting its index, say, or a cell.
//
//go:norace
func traceTaken(index uint32, from uint64) {
	if hot.hooks&hookTrace != 0 {
		tracing.rings.WriteSlow(goidOf(getg()), index|layout.RecordTaken<<layout.RecordKindShift, 0, from)
	}
}

// exitTraced is exit for a scope with a slot in runs that only trace; it is popTraced for most
// scopes.
//
//go:norace
//go:noinline
//go:nosplit
func (e Entered) exitTraced(t uint64, size int) {
	switch {
	case t != 0:
	case hot.mono:
		t = uint64(nanotime())
	default:
		t = ticks()
	}
	pid := procPin()
	p, index, pos := e.slot, e.index, uint32(e.at)
	s := p.stack
	if s.n != pos || p.unwinding || p.delayed || p.runEnded != 0 {
		procUnpin()
		e.exitAt(t, size)
		return
	}
	r := s.at(pos - 1)
	if (r.index^index)&^(firstBit|nestedBit) != 0 { // another marker, or a marker that is shut
		procUnpin()
		e.exitAt(t, size)
		return
	}
	p.unmask(r)
	s.n = pos - 1
	write(pid, goidOf(p.g()), index|layout.RecordExit<<layout.RecordKindShift, pos, t, tracing.exit[r.kind()])
}

// popTraced ends the innermost scope of marker index, at tick t, in runs without timing.
//
//go:norace
func (p *slot) popTraced(index uint32, t uint64) {
	s := p.stack
	r := s.at(s.n - 1)
	if hot.hooks&hookRead != 0 {
		p.leaving(index, r.kind(), t, toNS(subtract(t-r.start, (p.over-r.over+hot.inside)>>costBits)))
	} else {
		p.traceExit(index, r.kind(), t)
	}
	if r.index&shutBit != 0 {
		reopen(index)
	}
	p.unmask(r)
	s.n--
	if hot.hooks&(hookLimit|hookTrigger|hookRecords) != 0 {
		recorded(index)
	}
}
