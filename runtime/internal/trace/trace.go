// Package trace keeps the records of a trace in rings of the data file, a BlockRing for each
// processor, which is made when something is first recorded there.
//
//	var rings trace.Rings // zero: what is written is dropped
//	rings.Open(host, header, 1<<17)
//	rings.Write(procPin(), goroutine, marker|layout.RecordPoint<<layout.RecordKindShift, 0, tick, cost)
//
// The writer is pinned to its processor, so that writing needs no atomic operation. A record is
// complete before the number written covers it, so that a kill damages none. A ring that is full
// keeps the newest records, or, while another process drains it, those that wait for that one; how
// many were lost is then in a record of its own.
package trace

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A Host is what Rings need of the package that has them.
type Host struct {
	Lock, Unlock func()
	Now          func() uint64 // ticks

	// NewBlock makes a BlockRing of the data file, zeroed behind its head, which Publish makes part
	// of the file; nil: there is no room. Both are called under the lock.
	NewBlock func(shard uint32, size uintptr) unsafe.Pointer
	Publish  func(unsafe.Pointer)

	// BeforeSlow is called before a record of that tick, marker and kind is written for which the
	// writer has to look where it goes. It may take its time: the record says so.
	BeforeSlow func(tick uint64, what uint32)

	// Discount takes the time since that tick off the scopes that are open on the goroutine: a ring
	// was made.
	Discount func(since uint64)
}

// Rings are those of one run, in memory that is not Go's. The zero Rings are closed.
type Rings struct {
	of      [layout.MaxShards + 1]end // the last one is that of all processors beyond, under the lock
	scratch scratchRing
	kept    end // what scratch stands in for: scopes that began in an earlier run may have ended in this one already
	host    Host
	header  unsafe.Pointer
	room    uint64
	open    bool
}

// noRing stands in the place of a ring that could not be had.
var noRing ring

// Open makes closed Rings ready for a run whose data file has that header, with room for so many
// records in each.
//
//go:norace
func (r *Rings) Open(host Host, header unsafe.Pointer, room uint64) {
	r.host, r.header, r.room, r.open = host, header, room, true
}

// Close has no further rings made: the run is over. The caller holds the lock.
//
//go:norace
func (r *Rings) Close() { r.open = false }

//go:norace
func (r *Rings) word(off uintptr) *uint64 { return (*uint64)(unsafe.Add(r.header, off)) }

// Write writes a record of the goroutine of that number, with so many scopes open. The caller is
// pinned to processor pid, which ends here: so the arguments need not wait anywhere for the pin.
// what is the marker's index and the kind, cost what the record costs the program, in ticks with
// clock.FractionBits.
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

// writeElse is Write where there is more to be done: a function of its own, so that what it needs
// waits nowhere else.
//
//go:norace
//go:noinline
func (r *Rings) writeElse(id uint64, what, level uint32, tick uint64) {
	procUnpin()
	r.WriteSlow(id, what, level, tick)
}

// WriteSlow is Write for a caller that is not pinned, of a record that cost the program the time
// until it is written. It also makes the ring and begins again at its start.
//
//go:norace
//go:noinline
func (r *Rings) WriteSlow(id uint64, what, level uint32, tick uint64) {
	if !r.open {
		return
	}
	r.host.BeforeSlow(tick, what)
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

// writeShared writes to the ring of the processors beyond MaxShards.
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

// makeRing gives a processor its ring, unless it has one or the run is over. The caller holds the lock.
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

// Lose counts a record that no ring can take.
//
//go:norace
func (r *Rings) Lose() {
	if r.open {
		atomic.AddUint64(r.word(layout.OffTraceLost), 1)
	}
}

// Counts is how many records are in the rings or were drained, and how many are lost. The Rings
// have been opened.
//
//go:norace
func (r *Rings) Counts() (records, lost uint64) {
	lost = atomic.LoadUint64(r.word(layout.OffTraceLost))
	for i := range r.of {
		e := &r.of[i]
		b := e.block
		if b == nil || b == &noRing {
			continue
		}
		there := e.written
		if waiting := there - atomic.LoadUint64(&b.drained); waiting >= e.room {
			there -= waiting - (e.room - 1)
		}
		records += there
		lost += e.written - there + b.lost
	}
	return records, lost
}
