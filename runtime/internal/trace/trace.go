// Package trace writes the records of a trace to rings in the data file, a BlockRing for each
// processor, which is made for the first record there.
//
//	var rings trace.Rings // zero: what is written is dropped
//	rings.Open(host, header, 1<<17)
//	rings.Write(procPin(), goroutine, marker|layout.RecordPoint<<layout.RecordKindShift, 0, tick, cost)
//
// The writer is pinned to its processor, so that writing needs no atomic operation. A record is
// complete before the number of written records includes it, so a kill damages none. A full ring
// keeps the newest records or, while another process drains it, the ones not drained yet; a record
// of its own then says how many were lost.
package trace

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A Host is what Rings need from package perf: functions, not closures or method values, which the
// garbage collector would free, as it does not know of Rings.
type Host struct {
	Lock, Unlock func()
	Now          func() uint64 // ticks

	// NewBlock makes a BlockRing in the data file, zeroed after its head, which Publish makes part
	// of the file; nil if there is no room. Both are called under the lock.
	NewBlock func(shard uint32, size uintptr) unsafe.Pointer
	Publish  func(unsafe.Pointer)

	// Discount subtracts the time since that tick, in which a ring was made, from the goroutine's
	// open scopes.
	Discount func(since uint64)
}

// Rings are the rings of one run, in memory outside the Go heap. The zero Rings are closed.
type Rings struct {
	of      [layout.MaxShards + 1]end // the last one is for all further processors, under the lock
	scratch scratchRing
	// kept is the end that scratch replaces: scopes that began in an earlier run may have ended in
	// this one already.
	kept   end
	host   Host
	header unsafe.Pointer
	room   uint64
	open   bool
}

// noRing stands for a ring that could not be made.
var noRing ring

// Open opens closed Rings for a run whose data file has that header, with room for room records in
// each ring.
//
//go:norace
func (r *Rings) Open(host Host, header unsafe.Pointer, room uint64) {
	r.host, r.header, r.room, r.open = host, header, room, true
}

// Close ends the run: no further rings are made. The caller holds the lock.
//
//go:norace
func (r *Rings) Close() { r.open = false }

//go:norace
func (r *Rings) word(off uintptr) *uint64 { return (*uint64)(unsafe.Add(r.header, off)) }

// Write writes a record of the goroutine with that ID, which has level open scopes. The caller is
// pinned to processor pid, and Write unpins it, so that the arguments need not be saved during a
// call of procPin. what is the marker's index and the kind, cost the cost of the record, in
// ticks<<clock.FractionBits.
//
//go:norace
//go:nocheckptr
//go:nosplit
func (r *Rings) Write(pid int, id uint64, what, level uint32, tick, cost uint64) {
	if uint(pid) < layout.MaxShards {
		e := (*end)(unsafe.Add(unsafe.Pointer(r), uintptr(pid)*unsafe.Sizeof(end{}))) // r.of[pid] without a test for nil
		if p := e.next; p != e.limit {
			n := e.written
			to := (*record)(address(p))
			to.tick = tick
			to.goroutine = id
			to.marker = what
			to.level = level
			to.cost = cost | n<<layout.RecordCostBits
			e.next = p + layout.RecordSize
			e.written = n + 1
			e.block.publish(n + 1)
			procUnpin()
			return
		}
	}
	r.writeElse(id, what, level, tick)
}

// writeElse is the slow path of Write, a function of its own so that Write saves no registers for
// it.
//
//go:norace
//go:noinline
func (r *Rings) writeElse(id uint64, what, level uint32, tick uint64) {
	procUnpin()
	r.WriteSlow(id, what, level, tick)
}

// WriteSlow is Write for a caller that is not pinned; the record's cost is the time from tick until
// it is written. It also makes the ring, and wraps around at its end.
//
//go:norace
//go:noinline
func (r *Rings) WriteSlow(id uint64, what, level uint32, tick uint64) {
	if !r.open {
		return
	}
	c := &record{tick, id, what, level, 0}
	for r.open {
		pid := procPin()
		if uint(pid) >= layout.MaxShards {
			procUnpin()
			r.writeShared(c)
			return
		}
		e := &r.of[pid]
		if e.block != nil {
			r.put(e, c)
			procUnpin()
			return
		}
		procUnpin()
		from := r.host.Now()
		r.host.Lock()
		r.makeRing(e, uint32(pid))
		r.host.Unlock()
		r.host.Discount(from)
	}
}

// writeShared writes to the ring of the processors from MaxShards on.
//
//go:norace
func (r *Rings) writeShared(c *record) {
	r.host.Lock()
	e := &r.of[layout.MaxShards]
	r.makeRing(e, layout.MaxShards)
	if r.open {
		r.put(e, c)
	}
	r.host.Unlock()
}

// makeRing makes the ring of a processor, unless it exists or the run has ended. The caller holds
// the lock.
//
//go:norace
//go:nocheckptr
func (r *Rings) makeRing(e *end, shard uint32) {
	if !r.open || e.block != nil {
		return
	}
	block := (*ring)(r.host.NewBlock(shard, layout.RingData+uintptr(r.room)*layout.RecordSize))
	if block != nil {
		block.room, e.room = r.room, r.room
		r.host.Publish(unsafe.Pointer(block))
	} else {
		block = &noRing
	}
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&e.block)), unsafe.Pointer(block))
}

// Lose counts a record that no ring can hold.
//
//go:norace
func (r *Rings) Lose() {
	if r.open {
		atomic.AddUint64(r.word(layout.OffTraceLost), 1)
	}
}
