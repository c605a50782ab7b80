package profile

import (
	"cmp"
	"slices"

	"github.com/markgen/markgen/runtime/layout"
)

// samplesPassages says whether some passages stand for others, all of them or those of some marker.
func (r *run) samplesPassages() bool {
	n := r.header.word(layout.OffSampleN)
	return n > 1 || n == 0 && slices.ContainsFunc(r.ordered, func(t *table) bool {
		return slices.ContainsFunc(t.Markers, func(m *Marker) bool { return m != nil && m.Sampled() })
	})
}

// A shardTrace is where the records of one processor are.
type shardTrace struct {
	number  uint32
	parts   []tracePart
	ring    uint64 // offset of its ring, 0: none yet
	gap     uint64 // records missing after the last
	gapTick uint64 // since when
	gapLast uint64 // until when
}

// A tracePart is records that stand one behind the other in the file.
type tracePart struct{ offset, first, n uint64 }

func (r *run) shardTrace(number uint32) *shardTrace {
	s := r.traces[number]
	if s == nil {
		s = &shardTrace{number: number}
		r.traces[number] = s
	}
	return s
}

// ring takes note of the records that are in a ring.
func (r *run) ring(b block) error {
	head, err := r.content(b, layout.RingData)
	if err != nil {
		return err
	}
	word := func(at int) uint64 { return r.order.Uint64(head[at:]) }
	room, drained, written := word(layout.RingRoom), word(layout.RingDrained), word(layout.RingWritten)
	if room > (b.size-layout.RingData)/layout.RecordSize || room < 2 {
		return r.damaged(b.offset, "a ring for %d records in a block of %d bytes; it is left out", room, b.size)
	}
	if drained > written {
		return r.damaged(b.offset, "a ring of which %d records were taken, and %d were written; it is left out", drained, written)
	}
	s := r.shardTrace(b.shard)
	if s.ring != 0 {
		return r.damaged(b.offset, "a second ring of processor %d; it is left out", b.shard)
	}
	s.ring = b.offset
	s.gap, s.gapTick, s.gapLast = word(layout.RingGap), word(layout.RingGapTick), word(layout.RingGapLast)
	r.Trace.Lost = add64(r.Trace.Lost, word(layout.RingLost))
	from := drained
	if written-drained >= room {
		from = written - room + 1
	}
	for from < written {
		place := from % room
		n := min(written-from, room-place)
		s.parts = append(s.parts, tracePart{b.offset + layout.RingData + place*layout.RecordSize, from, n})
		from += n
	}
	return nil
}

// drained takes note of records that were taken out of a ring.
func (r *run) drained(b block) error {
	head, err := r.content(b, layout.TraceData)
	if err != nil {
		return err
	}
	if layout.Checksum(layout.ChecksumStart, head[:layout.TraceSum]) != r.order.Uint64(head[layout.TraceSum:]) {
		return r.damaged(b.offset, "records that were taken out of a ring are damaged: the checksum of how many is wrong; they are left out")
	}
	first, n := r.order.Uint64(head[layout.TraceFirst:]), r.order.Uint64(head[layout.TraceLen:])
	if n > (b.size-layout.TraceData)/layout.RecordSize || first+n < first {
		return r.damaged(b.offset, "%d records from number %d on in a block of %d bytes; they are left out", n, first, b.size)
	}
	if n > 0 {
		s := r.shardTrace(b.shard)
		s.parts = append(s.parts, tracePart{b.offset + layout.TraceData, first, n})
	}
	return nil
}

// sortTraces puts the parts of each processor into order, without what is there
// twice, and counts what is missing between them.
func (r *run) sortTraces() {
	for _, s := range r.traces {
		slices.SortFunc(s.parts, func(a, b tracePart) int { return cmp.Compare(a.first, b.first) })
		kept, next := s.parts[:0], uint64(0)
		for _, p := range s.parts {
			if p.first < next {
				skip := min(next-p.first, p.n)
				p.first, p.n, p.offset = p.first+skip, p.n-skip, p.offset+skip*layout.RecordSize
			}
			if p.n == 0 {
				continue
			}
			r.Trace.Lost = add64(r.Trace.Lost, p.first-next)
			r.Trace.Records = add64(r.Trace.Records, p.n)
			next = p.first + p.n
			kept = append(kept, p)
		}
		s.parts = kept
	}
	if r.header.word(layout.OffFlags)&layout.FlagTraced == 0 {
		r.Trace = nil
	}
}
