package trace

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/clock"
	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/layout"
)

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

type record struct {
	tick      uint64
	goroutine uint64
	marker    uint32
	level     uint32
	cost      uint64
}

// These fail to compile if the structs and the layout differ.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(ring{})-layout.RingData]
	_ = [1]struct{}{}[unsafe.Offsetof(ring{}.gapLast)-layout.RingGapLast]
	_ = [1]struct{}{}[unsafe.Offsetof(ring{}.written)-layout.RingWritten]
	_ = [1]struct{}{}[unsafe.Sizeof(record{})-layout.RecordSize]
	_ = [1]struct{}{}[unsafe.Offsetof(record{}.cost)-layout.RecordCost]
)

// An end is the writer's end of a ring, in memory that no other process maps.
type end struct {
	next    uintptr // address of the next record; not memory of the garbage collector
	limit   uintptr // address at which the writer has to call advance
	block   *ring   // nil if there is none yet
	written uint64
	room    uint64
	lapped  bool // every place has been written once
	scratch bool // it is calibration's: no process drains it
	_       [64 - 3*unsafe.Sizeof(uintptr(0)) - 2*8 - 2]byte
}

const (
	// touchedAtOnce is how many bytes of a ring are touched in advance when the writer first gets
	// there, so that one record has the page faults of many.
	touchedAtOnce = 64 << 10

	// lostAtOnce is the number of lost records between two checks whether the draining process is
	// alive.
	lostAtOnce = 4096

	maxCost = 1<<layout.RecordCostBits - 1
)

// address returns a pointer to memory that is not the garbage collector's.
//
//go:nocheckptr
func address(p uintptr) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(nil), p) }

// publish sets the number of written records to n. Other processes see stores in program order on
// amd64; elsewhere it takes an atomic store.
//
//go:norace
func (b *ring) publish(n uint64) {
	if runtime.GOARCH == "amd64" {
		b.written = n
	} else {
		atomic.StoreUint64(&b.written, n)
	}
}

// put writes a record, whose cost is the time since its tick, or counts it as lost. The caller is
// the ring's only writer.
//
//go:norace
func (r *Rings) put(e *end, c *record) {
	b := e.block
	if b == &noRing {
		r.Lose()
		return
	}
	if !r.hasPlace(e) {
		b.lose(c.tick)
		return
	}
	if n := b.gap; n > 0 {
		b.gap = 0
		e.append(&record{b.gapTick, n, layout.RecordGap << layout.RecordKindShift, 0, min(b.gapLast-min(b.gapLast, b.gapTick), maxCost)})
		if !r.hasPlace(e) { // advance made room for two, unless a process has just begun to drain the ring
			b.lose(c.tick)
			return
		}
	}
	if d := r.host.Now() - c.tick; int64(d) > 0 {
		c.cost = min(d<<clock.FractionBits, maxCost)
	}
	e.append(c)
}

// lose counts a record with that tick as lost for lack of room.
//
//go:norace
func (b *ring) lose(tick uint64) {
	if b.gap == 0 {
		b.gapTick = tick
	}
	b.gapLast = tick
	b.gap++
	b.lost++
}

// append writes a record. There must be room for it.
//
//go:norace
//go:nocheckptr
func (e *end) append(c *record) {
	c.cost |= e.written << layout.RecordCostBits
	*(*record)(address(e.next)) = *c
	e.next += layout.RecordSize
	e.written++
	e.block.publish(e.written)
}

// hasPlace reports whether there is room for a record.
//
//go:norace
func (r *Rings) hasPlace(e *end) bool { return e.next != e.limit || r.advance(e) }

// advance determines how far the writer may go, at least two records. It returns false if the ring
// is full. If no process drains the ring, the writer may always overwrite the oldest records. After
// a loss, an eighth of the ring has to be free again, or every other record would be about a gap.
//
//go:norace
//go:nocheckptr
func (r *Rings) advance(e *end) bool {
	b := e.block
	first := uintptr(unsafe.Pointer(b)) + layout.RingData
	last := first + uintptr(e.room)*layout.RecordSize
	free := e.room
	if drainer := atomic.LoadUint64(r.word(layout.OffDrainer)); drainer != 0 && !e.scratch {
		// One place stays free: readers assume that it is being written.
		waiting := e.written - atomic.LoadUint64(&b.drained)
		free = e.room - 1 - min(e.room-1, waiting)
		if free < 2 || b.gap > 0 && free < e.room/8 {
			if b.gap%lostAtOnce == 0 && platform.ProcessGone(drainer) {
				// So that the rings keep the newest records again
				atomic.CompareAndSwapUint64(r.word(layout.OffDrainer), drainer, 0)
			}
			return false
		}
	}
	if e.next == 0 {
		e.next = first
	} else if e.next == last {
		e.next, e.lapped = first, true
	}
	p := e.next
	n := min(free, uint64(last-p)/layout.RecordSize)
	if !e.lapped {
		n = min(n, touchedAtOnce/layout.RecordSize)
		for at := uintptr(0); at < uintptr(n)*layout.RecordSize; at += 4096 {
			*(*uint64)(address(p + at)) = 0
		}
	}
	e.limit = p + uintptr(n)*layout.RecordSize
	return true
}
