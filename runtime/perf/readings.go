//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/collect"
	"github.com/markgen/markgen/runtime/layout"
)

// Collectors besides time are read when a scope has begun and when it ends. What
// was read at the beginning waits beside the goroutine's stack of scopes. The
// differences are added up in a BlockRead for each marker and processor.
//
// What reading takes is measured and taken off the scopes around, as what scopes
// cost is (slot.over).
//
// A scope that a panic left is given what had been read when recover stopped the panic, as it ends at
// that time.
type readings struct {
	plan   *plan // kept alive by plans
	open   *stack
	closed stack
	at     uint64 // when recover last stopped a panic, as in slot, and
	over   uint64 // slot.over then
	collect.Readings
}

// readingsRef is an address, 8 bytes on every platform.
type readingsRef struct {
	_ [8 - unsafe.Sizeof(uintptr(0))]byte
	p *readings
}

// scopes is the goroutine's stack of scopes. It is another than slot.stack while
// collectors are read: that has no room then, nor is it given any, so that what a
// program's collector passes is counted and opens no scope in the middle of another's
// beginning or end.
//
//go:norace
//go:nocheckptr
func (s *stack) scopes() *stack {
	if rd := s.read.p; rd != nil && s == &rd.closed {
		return rd.open
	}
	return s
}

// reads says whether collectors are being read for a scope of the goroutine: what they pass meanwhile is no
// part of it.
//
//go:norace
func (p *slot) reads() bool { return p != nil && p.stack.scopes() != p.stack }

// take reads all collectors into a frame, at the end of a scope or at its beginning.
//
//go:norace
func (p *slot) take(rd *readings, f *collect.Frame, end bool) {
	rd.open, p.stack = p.stack, &rd.closed
	rd.Read(f, end)
	p.stack = rd.open
}

// readStart reads the collectors for the scope that has been pushed.
//
//go:norace
//go:nocheckptr
func (p *slot) readStart() {
	began := now()
	rd, n := p.stack.read.p, p.stack.n
	if rd == nil || !rd.Has(n-1) {
		if rd = p.makeReadings(); rd == nil {
			return
		}
	}
	p.take(rd, rd.Begin(n-1), false)
	p.discountRead(rd, began, p.stack.at(n-1).index&^scopeBits)
}

// readEnd reads the collectors for the scope that is about to be popped, which
// ended at t and took ns, and adds up what they have grown by; false: it was not read when it
// began.
//
//go:norace
//go:nocheckptr
func (p *slot) readEnd(index uint32, t, ns uint64) bool {
	rd, n := p.stack.read.p, p.stack.n
	if rd == nil || !rd.Begun(n-1) {
		return false
	}
	began := now()
	end := rd.Stopped()
	if rd.at != t {
		end = rd.Latest()
		p.take(rd, end, true)
	}
	f := rd.End(n-1, end, ns)
	i := p.stack.at(n - 1).index
	rd.plan.record(index, f, i&nestedBit != 0)
	p.discountRead(rd, began, i&^scopeBits)
	return true
}

// readNothing takes note that the scope that has been pushed is not read.
//
//go:norace
//go:nocheckptr
func (p *slot) readNothing() {
	rd, n := p.stack.read.p, p.stack.n
	if rd == nil || !rd.Has(n-1) {
		if rd = p.makeReadings(); rd == nil {
			return
		}
	}
	rd.Skip(n - 1)
}

// readStopped reads the collectors when recover has stopped a panic, for the
// scopes that it left.
//
//go:norace
//go:nocheckptr
func (p *slot) readStopped() {
	rd := p.stack.read.p
	if rd == nil {
		return
	}
	began := now()
	rd.at, rd.over = p.recovered, p.over
	p.take(rd, rd.Stopped(), true)
	p.discountRead(rd, began, 0)
}

// sinceStopped is what scopes have cost since recover last stopped a panic, 0 if
// that was not read then: it is nothing to the scopes that the panic left.
//
//go:norace
//go:nocheckptr
func (p *slot) sinceStopped() uint64 {
	if rd := p.stack.read.p; rd != nil && rd.at == p.recovered && rd.at != 0 {
		return p.over - rd.over
	}
	return 0
}

// discountRead takes the time since then, in which collectors were read for a scope of the marker of that index, off
// the scopes that are open, and off the window.
//
//go:norace
func (p *slot) discountRead(rd *readings, since uint64, index uint32) {
	if d := now() - since; int64(d) > 0 {
		d = d<<costBits + rd.plan.clock
		p.over += d
		if conf.windows() && hasRate(index) {
			takenInWindow(since, d>>costBits)
		}
	}
}

// makeReadings gives the goroutine readings for each scope that its stack has room for; nil: there
// is no memory, or the run that it has scopes of is over.
//
//go:norace
//go:nocheckptr
//go:noinline
func (p *slot) makeReadings() *readings {
	old, pl := p.stack.read.p, reading
	if old != nil {
		pl = old.plan
	}
	if pl == nil {
		return nil
	}
	lock()
	rd := (*readings)(anonymous(unsafe.Offsetof(readings{}.Readings) + pl.Size(p.stack.room)))
	unlock()
	if rd == nil {
		return nil
	}
	rd.plan = pl
	rd.Open(&pl.Plan, p.stack.room)
	if old != nil {
		rd.at, rd.over = old.at, old.over
		rd.Copy(&old.Readings)
	}
	rd.closed.read.p = rd
	p.stack.read.p = rd
	return rd
}

// blockOf finds the block of the marker on processor pid, nil when it has none yet.
// The caller is pinned.
//
//go:norace
//go:nocheckptr
func (p *plan) blockOf(pid int, index uint32) *collect.Block {
	if uint(pid) >= layout.MaxShards {
		return nil
	}
	d := p.shards[pid]
	if d == nil || uint64(index) >= d.n {
		return nil
	}
	return d.of[index%maxIndex]
}

// record adds what a scope of the marker of that index has had to what its processor has of it.
//
//go:norace
//go:nocheckptr
func (p *plan) record(index uint32, f *collect.Frame, nested bool) {
	for {
		pid := procPin()
		if b := p.blockOf(pid, index); b != nil && p.Record(b, f, nested) {
			procUnpin()
			return
		}
		procUnpin()
		if p.prepare(pid, index, f, nested) {
			return
		}
	}
}

// prepare makes a block for the marker on a processor, and what else it takes to add
// the scope there. done: the scope has been added, on a processor that shares its blocks, or there is no memory.
//
//go:norace
//go:nocheckptr
func (p *plan) prepare(pid int, index uint32, f *collect.Frame, nested bool) (done bool) {
	lock()
	defer unlock()
	if p != reading || index < firstIndex || index >= nextIndex || pid < 0 {
		return true
	}
	shard := min(pid, layout.MaxShards)
	d := extend(&p.shards[shard], index)
	if d == nil {
		return true
	}
	b := d.of[index]
	if b == nil {
		if b = p.NewBlock(&blocks, uint32(shard), uint64(index-firstIndex)); b == nil {
			return true
		}
		atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&d.of[index])), unsafe.Pointer(b))
	}
	if !p.MakeRoom(&blocks, b, f) {
		return true
	}
	if pid >= layout.MaxShards {
		p.Record(b, f, nested)
		return true
	}
	return false
}

// blocks is how a plan makes blocks. The caller holds the lock.
var blocks = collect.Blocks{New: newBlock, Publish: publish}
