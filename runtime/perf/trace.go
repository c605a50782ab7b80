//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/layout"
)

// Each processor has a ring of trace records, a BlockRing, made when something is
// recorded there. Who writes is pinned to the processor, so that writing needs no
// atomic operation; a record is complete before the number written covers it.

// ring is the head of a BlockRing.
type ring struct {
	kind    uint32
	shard   uint32
	bytes   uint64
	room    uint64
	drained uint64 // the one word that another process writes
	lost    uint64
	gap     uint64
	gapTick uint64
	gapLast uint64
	written uint64
	_       [7]uint64
}

type traceRecord struct {
	tick      uint64
	goroutine uint64
	marker    uint32
	level     uint32
	cost      uint64
}

// The structs and the layout agree, or this does not compile.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(ring{})-layout.RingData]
	_ = [1]struct{}{}[unsafe.Offsetof(ring{}.gapLast)-layout.RingGapLast]
	_ = [1]struct{}{}[unsafe.Offsetof(ring{}.written)-layout.RingWritten]
	_ = [1]struct{}{}[unsafe.Sizeof(traceRecord{})-layout.RecordSize]
	_ = [1]struct{}{}[unsafe.Offsetof(traceRecord{}.cost)-layout.RecordCost]
)

// A ringEnd is the writer's end of a ring, in memory that nobody else maps.
type ringEnd struct {
	next    uintptr // where the next record goes, the address; no memory of the collector's
	limit   uintptr // where the writer has to look whether it may go on
	block   *ring   // nil: none yet
	written uint64
	room    uint64
	lapped  bool // all of it has been written once
	scratch bool // it is calibration's: nobody drains it
	_       [64 - 5*8 - 2]byte
}

// ringEnds are the processors', the last one that of all beyond, under the lock.
type ringEnds [layout.MaxShards + 1]ringEnd

// noEnds are those of no trace: what is about to be written belongs to an earlier run.
var noEnds ringEnds

// noRing stands in the place of a ring that could not be had.
var noRing ring

// tracing is what a record is made with; it is written at start.
var tracing struct {
	_     [64]byte
	ends  *ringEnds // of this run, noEnds when it has no trace; who is writing to an older run's ring keeps to that
	enter uint64    // what a record of each kind costs the program, ticks<<costBits
	exit  [4]uint64 // by record.kind
	point uint64
	room  uint64 // records in a ring
	_     [64]byte
}

// touchedAtOnce is how much of a ring is touched in advance, bytes, when the
// writer comes there first: one record pays for many.
const touchedAtOnce = 64 << 10

// defaultBuffer is what a ring has without the key buffer, bytes.
const defaultBuffer = 4 << 20

// startTrace makes ready for records, before calibrate.
//
//go:norace
func startTrace() {
	room := conf.Buffer
	if room == 0 {
		room = defaultBuffer
	}
	tracing.room = room / layout.RecordSize
	lock()
	ends := (*ringEnds)(anonymous(unsafe.Sizeof(ringEnds{})))
	unlock()
	if ends == nil {
		return
	}
	tracing.ends = ends
	hot.extras |= extraTrace
	flags := uint64(layout.FlagTraced)
	if !conf.Collects("time") {
		hot.extras |= extraUntimed
		flags |= layout.FlagUntimed
	}
	setHeader(layout.OffFlags, atomic.LoadUint64(headerWord(layout.OffFlags))|flags)
}

// write writes a record of the goroutine of that number, with so many scopes open. The caller is pinned to processor
// pid, which ends here: so the arguments need not wait anywhere for the pin. what is the marker's index
// and the kind.
//
//go:norace
//go:nocheckptr
//go:nosplit
func write(pid int, id uint64, what, level uint32, t, cost uint64) {
	if uint(pid) < layout.MaxShards {
		e := (*ringEnd)(unsafe.Add(unsafe.Pointer(tracing.ends), uintptr(pid)*unsafe.Sizeof(ringEnd{})))
		if p := e.next; p != e.limit {
			n := e.written
			r := (*traceRecord)(address(p))
			r.tick = t
			r.goroutine = id
			r.marker = what
			r.level = level
			r.cost = cost | n<<layout.RecordCostBits
			e.next = p + layout.RecordSize
			e.written = n + 1
			e.block.publish(n + 1)
			procUnpin()
			return
		}
	}
	writeElse(id, what, level, t)
}

// writeElse is write where there is more to be done: a function of its own, so that what it needs waits nowhere else.
//
//go:norace
//go:noinline
func writeElse(id uint64, what, level uint32, t uint64) {
	procUnpin()
	writeSlow(&traceRecord{t, id, what, level, 0})
}

// address is a pointer to memory that is not the collector's.
//
//go:nocheckptr
func address(p uintptr) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(nil), p) }

// publish says that n records are written. Stores are seen in their order on
// amd64; elsewhere it takes an atomic one.
//
//go:norace
//go:nocheckptr
func (r *ring) publish(n uint64) {
	if goarch == "amd64" {
		r.written = n
	} else {
		atomic.StoreUint64(&r.written, n)
	}
}

// writeSlow writes a record where the writer has to look first: whether there is
// a ring, where it begins again, what has been drained. What the record costs is
// measured by a second reading of the clock.
//
//go:norace
//go:noinline
func writeSlow(r *traceRecord) {
	if hot.extras == onlyTrace && !conf.windows() && r.marker&(1<<layout.RecordKindShift-1) != scratchIndex {
		measureAgain(r.tick, 0) // is part of what the record costs
	}
	for {
		ends := tracing.ends
		if ends == &noEnds {
			return
		}
		pid := procPin()
		if uint(pid) >= layout.MaxShards {
			procUnpin()
			lock()
			if ends == tracing.ends {
				e := &ends[layout.MaxShards]
				if e.block == nil {
					makeRing(e, layout.MaxShards)
				}
				e.put(r)
			}
			unlock()
			return
		}
		e := &ends[pid]
		if e.block != nil {
			e.put(r)
			procUnpin()
			return
		}
		procUnpin()
		from := now()
		lock()
		if ends == tracing.ends && e.block == nil { // else they are an earlier run's
			makeRing(e, uint32(pid))
		}
		unlock()
		ownSlot().overlook(from)
	}
}

// makeRing gives a processor its ring. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func makeRing(e *ringEnd, shard uint32) {
	block := &noRing
	if space.open { // nobody reads what is in memory only
		if r := (*ring)(newBlock(layout.BlockRing, shard, layout.RingData+uintptr(tracing.room)*layout.RecordSize)); r != nil && space.inFile {
			r.room = tracing.room
			publish(unsafe.Pointer(r))
			block, e.room = r, tracing.room
		}
	}
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&e.block)), unsafe.Pointer(block))
}

// put writes a record, or counts it as lost. The caller is the ring's only
// writer.
//
//go:norace
//go:nocheckptr
func (e *ringEnd) put(r *traceRecord) {
	b := e.block
	if b == &noRing {
		loseRecord()
		return
	}
	if e.next == e.limit && !e.advance() {
		if b.gap == 0 {
			b.gapTick = r.tick
		}
		b.gapLast = r.tick
		b.gap++
		b.lost++
		return
	}
	if n := b.gap; n > 0 {
		b.gap = 0
		e.append(&traceRecord{b.gapTick, n, layout.RecordGap << layout.RecordKindShift, 0, min(less(b.gapLast, b.gapTick), 1<<layout.RecordCostBits-1)})
		if e.next == e.limit && !e.advance() { // there was room for two, unless somebody has begun to drain the ring just now
			b.gap, b.gapTick, b.gapLast = 1, r.tick, r.tick
			b.lost++
			return
		}
	}
	r.cost = 0
	if d := now() - r.tick; int64(d) > 0 {
		r.cost = min(d<<costBits, 1<<layout.RecordCostBits-1)
	}
	e.append(r)
}

// append writes a record for which there is room.
//
//go:norace
//go:nocheckptr
func (e *ringEnd) append(r *traceRecord) {
	r.cost |= e.written << layout.RecordCostBits
	*(*traceRecord)(address(e.next)) = *r
	e.next += layout.RecordSize
	e.written++
	e.block.publish(e.written)
}

// advance looks how far the writer may go, at least two records; false: the ring is
// full. Where nobody drains it, it may always go on, over the eldest. When records have been lost some room has to be there
// again, or every other record would be about a gap.
//
//go:norace
//go:nocheckptr
func (e *ringEnd) advance() bool {
	b := e.block
	first := uintptr(unsafe.Pointer(b)) + layout.RingData
	end := first + uintptr(e.room)*layout.RecordSize
	free := e.room
	if !e.scratch && atomic.LoadUint64(headerWord(layout.OffDrainer)) != 0 {
		// One place stays free: readers take it for being written.
		free = less(e.room-1, e.written-atomic.LoadUint64(&b.drained))
		if free < 2 || b.gap > 0 && free < e.room/8 {
			if b.gap%uint64(lostAtOnce) == 0 {
				leaveDeadDrainer()
			}
			return false
		}
	}
	if e.next == 0 {
		e.next = first
	} else if e.next == end {
		e.next, e.lapped = first, true
	}
	p := e.next
	n := min(free, uint64(end-p)/layout.RecordSize)
	if !e.lapped {
		n = min(n, touchedAtOnce/layout.RecordSize)
		for at := uintptr(0); at < uintptr(n)*layout.RecordSize; at += 4096 {
			*(*uint64)(address(p + at)) = 0
		}
	}
	e.limit = p + uintptr(n)*layout.RecordSize
	return true
}

// lostAtOnce is how many records are lost between two looks whether who drains the
// rings still lives.
const lostAtOnce = 4096

// leaveDeadDrainer lets the rings keep the newest records again if nobody drains
// them any more.
//
//go:norace
func leaveDeadDrainer() {
	if pid := atomic.LoadUint64(headerWord(layout.OffDrainer)); pid != 0 && platform.Gone(pid) {
		atomic.CompareAndSwapUint64(headerWord(layout.OffDrainer), pid, 0)
	}
}

// loseRecord counts a record that no ring can take.
func loseRecord() { atomic.AddUint64(headerWord(layout.OffTraceLost), 1) }

// traced is how many records are in the rings or were drained, and how many are
// lost.
//
//go:norace
func traced() (records, lost uint64) {
	lost = atomic.LoadUint64(headerWord(layout.OffTraceLost))
	for i := range tracing.ends {
		e := &tracing.ends[i]
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

// aboutTrace is the report's line about the trace.
//
//go:norace
func aboutTrace() string {
	records, lost := traced()
	b := lite.AppendUint([]byte("traced: "), records)
	b = lite.AppendUint(append(b, " records, "...), lost)
	b = append(b, " lost"...)
	if hot.extras&extraUntimed != 0 {
		b = append(b, "; nothing was timed: markgen between FROM TO gives times from the data file"...)
	}
	return string(b)
}
