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

// samplesPassages says whether some passages stand for others, all of them or those of some marker.
func (r *run) samplesPassages() bool {
	n := r.header.word(layout.OffSampleN)
	return n > 1 || n == 0 && slices.ContainsFunc(r.ordered, func(t *unitTable) bool {
		return slices.ContainsFunc(t.Markers, func(m *profile.Marker) bool { return m != nil && m.Sampled() })
	})
}

// Records is where the records of a run's trace are in its file, and what the numbers in them stand for.
// Who has opened them closes them.
type Records struct {
	Run       *profile.Profile // the run, without markers and blocks
	Name      string           // of the file, as it was given
	PID       uint64           // process ID
	StartTick uint64
	Unplaced  uint64   // records that are lost and had no ring, so that it is not known where they are missing
	Pauses    []uint64 // ticks at which collection ceased, in order
	Sampled   bool     // passages are missing, for others stand for them
	Big       bool     // the file is of a machine with the high byte first

	Numbers []Numbered        // the markers that records may name; a later number is the one that counts
	Counted []*profile.Marker // that are only counted: records name none of these
	Rings   []Ring            // by processor

	in   *input
	file *os.File // nil: who opened it closes it
}

// Numbered is a marker with a number by which records name it.
type Numbered struct {
	Number uint64
	Marker *profile.Marker
}

// A Ring is where the records of one processor are.
type Ring struct {
	Processor uint32
	Parts     []RingPart // in the order of their records
	Gap       uint64     // records missing after the last
	GapTick   uint64     // since when
	GapLast   uint64     // until when

	offset uint64 // of the ring itself, 0: none yet
}

// A RingPart is records that stand one behind the other in the file.
type RingPart struct {
	Offset uint64
	First  uint64 // number of the first of its processor's records
	N      uint64 // how many they are
}

// OpenRecords finds the records of a trace in a data file. A file without any is an error.
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

// ReadRecords is OpenRecords for data that is elsewhere than in a file: size bytes at
// r. The name stands for the file in errors and warnings.
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

// ReadAt fills b with what is in the file from an offset on.
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
		Sampled:   r.samplesPassages(),
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
		s := r.ringOf(b.shard)
		s.Parts = append(s.Parts, RingPart{b.offset + layout.TraceData, first, n})
	}
	return nil
}

// sortTraces puts the parts of each processor into order, without what is there
// twice, and counts what is missing between them.
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
