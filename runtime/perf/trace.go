//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/internal/trace"
	"github.com/markgen/markgen/runtime/layout"
)

// tracing is what a record is made with; it is written at start.
var tracing = struct {
	_     [64]byte
	rings *trace.Rings // of this run, noRings when it has no trace; who is writing to an older run's keeps to them
	enter uint64       // what a record of each kind costs the program, ticks<<costBits
	exit  [4]uint64    // by record.kind
	point uint64
	_     [64]byte
}{rings: &noRings}

// noRings are those of no trace: what is about to be written belongs to an earlier run.
var noRings trace.Rings

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
	lock()
	rings := (*trace.Rings)(anonymous(unsafe.Sizeof(trace.Rings{})))
	unlock()
	if rings == nil {
		return
	}
	rings.Open(trace.Host{
		Lock: lock, Unlock: unlock, Now: now, NewBlock: newRing, Publish: publish,
		BeforeSlow: beforeSlowRecord, Discount: discount,
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

// newRing makes a block of trace records; nil: nobody reads what is in memory only.
//
//go:norace
func newRing(shard uint32, size uintptr) unsafe.Pointer {
	if space.open {
		if b := newBlock(layout.BlockRing, shard, size); space.inFile {
			return b
		}
	}
	return nil
}

// beforeSlowRecord measures again what scopes cost if that is due: it is part of what the record costs.
//
//go:norace
func beforeSlowRecord(t uint64, what uint32) {
	if hot.hooks == onlyTrace && !conf.windows() && what&(1<<layout.RecordKindShift-1) != scratchIndex {
		measureAgain(t, 0)
	}
}

// write is Rings.Write of this run's rings, which it looks up when the caller is pinned: it is to
// be inlined.
//
//go:norace
//go:nosplit
func write(pid int, id uint64, what, level uint32, t, cost uint64) {
	tracing.rings.Write(pid, id, what, level, t, cost)
}

// addTraced adds up in scratch what the scopes of a batch took, by their records, where no cell does.
//
//go:norace
func addTraced() {
	if hot.hooks&hookUntimed != 0 {
		scratch.ticks += tracing.rings.ScratchTicks()
	}
}

// setTraceCosts says what records cost. What a scope adds to the time between its
// ends is the cost of the record of its beginning, the rest that of its end.
//
//go:norace
func setTraceCosts(point uint64) {
	tracing.enter = hot.inside
	for kind, whole := range hot.cost {
		tracing.exit[kind] = less(whole, hot.inside)
	}
	tracing.point = point
}

// aboutTrace is the report's line about the trace.
//
//go:norace
func aboutTrace() string {
	records, lost := tracing.rings.Counts()
	b := lite.AppendUint([]byte("traced: "), records)
	b = lite.AppendUint(append(b, " records, "...), lost)
	b = append(b, " lost"...)
	if hot.hooks&hookUntimed != 0 {
		b = append(b, "; nothing was timed: markgen between FROM TO gives times from the data file"...)
	}
	return string(b)
}
