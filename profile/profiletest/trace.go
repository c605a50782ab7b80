package profiletest

import "github.com/markgen/markgen/runtime/layout"

// Records are the records in a ring, or records that were moved out of one.
type Records struct {
	Shard   uint32
	First   uint64 // number of the first record
	Records []Record
	Room    int    // capacity of the ring, which has the last Room records; 0 if they were moved out
	Lost    uint64 // records that a ring lost
	Gap     uint64 // records lost after the last one
	GapTick uint64 // start of that gap, in ticks
	GapLast uint64 // end of that gap, in ticks
}

// Record is a trace record. Cost is in ticks.
type Record struct {
	Tick, Goroutine uint64
	Kind            uint8
	Marker          int // number in the first table
	Level           uint32
	Cost            uint64
}

// StartTick is the tick at which a run begins.
const StartTick = startTick

func (w *writer) records(r Records) {
	if r.Room == 0 {
		b := w.block(layout.BlockTrace, r.Shard, layout.TraceData+len(r.Records)*layout.RecordSize)
		defer func() {
			w.order.PutUint64(b[layout.TraceSum:], layout.Checksum(layout.ChecksumStart, b[:layout.TraceSum]))
		}()
		w.order.PutUint64(b[layout.TraceFirst:], r.First)
		w.order.PutUint64(b[layout.TraceLen:], uint64(len(r.Records)))
		for i, rec := range r.Records {
			w.record(b[layout.TraceData+i*layout.RecordSize:], rec, r.First+uint64(i))
		}
		return
	}
	b := w.block(layout.BlockRing, r.Shard, layout.RingData+r.Room*layout.RecordSize)
	for offset, v := range map[int]uint64{
		layout.RingRoom: uint64(r.Room), layout.RingDrained: r.First, layout.RingWritten: r.First + uint64(len(r.Records)),
		layout.RingLost: r.Lost, layout.RingGap: r.Gap, layout.RingGapTick: r.GapTick, layout.RingGapLast: r.GapLast,
	} {
		w.order.PutUint64(b[offset:], v)
	}
	for i, rec := range r.Records {
		n := r.First + uint64(i)
		w.record(b[layout.RingData+n%uint64(r.Room)*layout.RecordSize:], rec, n)
	}
}

func (w *writer) record(b []byte, r Record, number uint64) {
	w.order.PutUint64(b[layout.RecordTick:], r.Tick)
	w.order.PutUint64(b[layout.RecordGoroutine:], r.Goroutine)
	w.order.PutUint32(b[layout.RecordMarker:], uint32(r.Kind)<<layout.RecordKindShift|uint32(r.Marker+layout.StackFirst))
	w.order.PutUint32(b[layout.RecordLevel:], r.Level)
	cost := r.Cost << 8
	if r.Kind == layout.RecordGap {
		cost = r.Cost
	}
	w.order.PutUint64(b[layout.RecordCost:], cost|number<<layout.RecordCostBits)
}
