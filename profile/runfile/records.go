package runfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
)

// samplesScopes reports whether calls of any marker were sampled.
func (r *run) samplesScopes() bool {
	n := r.header.word(layout.OffSampleN)
	return n > 1 || n == 0 && slices.ContainsFunc(r.ordered, func(t *unitTable) bool {
		return slices.ContainsFunc(t.Markers, func(m *profile.Marker) bool { return m != nil && m.Sampled() })
	})
}

// Records describes the trace of a run: where its records are in the file, and what their numbers
// stand for. A caller of OpenRecords must close it.
type Records struct {
	Run       *profile.Profile // the run, without markers and blocks
	Name      string           // of the file, as given by the caller
	PID       uint64           // process ID
	StartTick uint64
	Unplaced  uint64   // lost records that had no ring, so that nobody knows where they are missing
	Pauses    []uint64 // ticks at which collection stopped, in order
	Sampled   bool     // true if calls were sampled, so that some are missing
	Big       bool     // true if the file is big-endian

	Numbers []Numbered        // markers that records may name; a later entry overrides an earlier one
	Counted []*profile.Marker // markers that are only counted, which no record names
	Rings   []Ring            // by processor

	in   *input
	file *os.File // nil if the caller opened it
}

// Numbered is a marker with the number that records use for it.
type Numbered struct {
	Number uint64
	Marker *profile.Marker
}

// A Ring has the records of one processor.
type Ring struct {
	Processor uint32
	Parts     []RingPart // in record order
	Gap       uint64     // records missing after the last
	GapTick   uint64     // start of that gap, in ticks
	GapLast   uint64     // end of that gap, in ticks

	offset uint64 // of the ring in the file; 0 if there is none yet
}

// A RingPart is a contiguous sequence of records in the file.
type RingPart struct {
	Offset uint64
	First  uint64 // number of its first record, counted per processor
	N      uint64 // number of records
}

// OpenRecords finds the records of a trace in a data file. It returns an error if there are none.
func OpenRecords(path string) (*Records, error) {
	f, info, err := open(path)
	if err != nil {
		return nil, err
	}
	t, err := records(f, info.Size(), path, alive(f))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t.file = f
	return t, nil
}

// ReadRecords is like OpenRecords for size bytes at r. The name stands for the file in errors and
// warnings.
func ReadRecords(r io.ReaderAt, size int64, name string) (*Records, error) {
	return records(r, size, name, false)
}

// Close closes the file.
func (t *Records) Close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}

// ReadAt fills b with the bytes of the file from offset on.
func (t *Records) ReadAt(b []byte, offset uint64) error { return t.in.readAt(b, offset) }

func records(from io.ReaderAt, size int64, name string, alive bool) (*Records, error) {
	in := &input{r: from, name: name, size: uint64(max(size, 0))}
	r, err := in.readRun(alive, new(Sum))
	if err != nil {
		return nil, err
	}
	if r.Trace == nil {
		return nil, fmt.Errorf("%s: no trace is in it; run the program with collect=trace in MARKGEN", name)
	}
	t := &Records{
		Run:       r.Profile,
		Name:      name,
		PID:       r.header.word(layout.OffPID),
		StartTick: r.header.word(layout.OffStartTick),
		Unplaced:  r.header.word(layout.OffTraceLost),
		Pauses:    r.pauses(),
		Sampled:   r.samplesScopes(),
		Big:       r.order.big,
		in:        r.input,
	}
	for _, table := range r.ordered {
		for i, m := range table.Markers {
			if m != nil {
				t.Numbers = append(t.Numbers, Numbered{table.first + uint64(i), m})
			}
		}
		for _, c := range table.Counters {
			if c.Marker != nil {
				t.Counted = append(t.Counted, c.Marker)
			}
		}
	}
	for _, a := range r.aliases {
		if m := r.named(a.to); m != nil {
			t.Numbers = append(t.Numbers, Numbered{a.from, m})
		}
	}
	for _, number := range slices.Sorted(maps.Keys(r.traces)) {
		t.Rings = append(t.Rings, *r.traces[number])
	}
	return t, nil
}

func (r *run) ringOf(processor uint32) *Ring {
	s := r.traces[processor]
	if s == nil {
		s = &Ring{Processor: processor}
		r.traces[processor] = s
	}
	return s
}

// ring reads the position of the records that are still in a ring.
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
	s := r.ringOf(b.shard)
	if s.offset != 0 {
		return r.damaged(b.offset, "a second ring of processor %d; it is left out", b.shard)
	}
	s.offset = b.offset
	s.Gap, s.GapTick, s.GapLast = word(layout.RingGap), word(layout.RingGapTick), word(layout.RingGapLast)
	r.Trace.Lost = profile.Add64(r.Trace.Lost, word(layout.RingLost))
	from := drained
	if written-drained >= room {
		from = written - room + 1
	}
	for from < written {
		place := from % room
		n := min(written-from, room-place)
		s.Parts = append(s.Parts, RingPart{b.offset + layout.RingData + place*layout.RecordSize, from, n})
		from += n
	}
	return nil
}

// drained reads the position of records that were moved out of a ring.
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
		s := r.ringOf(b.shard)
		s.Parts = append(s.Parts, RingPart{b.offset + layout.TraceData, first, n})
	}
	return nil
}

// sortTraces sorts the parts of each processor, removes duplicate records, and counts the records
// missing in between.
func (r *run) sortTraces() {
	for _, s := range r.traces {
		slices.SortFunc(s.Parts, func(a, b RingPart) int { return cmp.Compare(a.First, b.First) })
		kept, next := s.Parts[:0], uint64(0)
		for _, p := range s.Parts {
			if p.First < next {
				skip := min(next-p.First, p.N)
				p.First, p.N, p.Offset = p.First+skip, p.N-skip, p.Offset+skip*layout.RecordSize
			}
			if p.N == 0 {
				continue
			}
			r.Trace.Lost = profile.Add64(r.Trace.Lost, p.First-next)
			r.Trace.Records = profile.Add64(r.Trace.Records, p.N)
			next = p.First + p.N
			kept = append(kept, p)
		}
		s.Parts = kept
	}
	if r.header.word(layout.OffFlags)&layout.FlagTraced == 0 {
		r.Trace = nil
	}
}
