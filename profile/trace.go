package profile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/runtime/layout"
)

// Kinds of trace records.
const (
	RecordPoint = layout.RecordPoint // a passage without a duration
	RecordEnter = layout.RecordEnter // a scope begins
	RecordExit  = layout.RecordExit  // a scope ends
	RecordLeft  = layout.RecordLeft  // a scope turns out to have been left by a panic or runtime.Goexit
	RecordTaken = layout.RecordTaken // no passage: a marker took time besides, when it was passed first
	RecordGap   = layout.RecordGap   // records of this processor are missing
	RecordStart = layout.RecordStart // a stopwatch is started
	RecordStop  = layout.RecordStop  // a stopwatch is stopped, perhaps by another goroutine
)

// A Record is one event of a trace.
type Record struct {
	Tick      uint64 // of the run's clock
	Goroutine uint64 // Go's number of it; of a gap how many records are missing
	Cost      uint64 // what the marker took from the program from Tick on, ticks/256; of a gap the tick until which records are missing
	Marker    int32  // index in Trace.Markers; -1 of a gap, and where no table names it
	Level     uint32 // place of the scope among those open on its goroutine, from 1; 0: it is none
	Processor uint32 // whose ring had it
	Kind      uint8  // Record…
}

// Traced is how much of a trace there is.
type Traced struct {
	Records uint64 // in the file
	Lost    uint64 // overwritten by newer ones, or not written for want of room
}

// add is the sum of two, either of which may be nil.
func (t *Traced) add(o *Traced) *Traced {
	if t == nil || o == nil {
		t = cmp.Or(t, o)
		if t == nil {
			return nil
		}
		o = &Traced{}
	}
	return &Traced{add64(t.Records, o.Records), add64(t.Lost, o.Lost)}
}

// A TraceMarker is a marker that records name.
type TraceMarker struct {
	ID   registry.ID
	Name string
	Kind string
	File string // as that of a Marker
	Line int

	Package string // as that of a Marker
}

// RecordBytes is what a record of a trace takes in a data file.
const RecordBytes = layout.RecordSize

// A TraceHead is what is known of a run's trace without its records.
type TraceHead struct {
	Traced
	Name     string // of the file, as it was given
	App      string
	Run      string    // as that of a Profile
	PID      uint64    // process ID
	Start    time.Time // UTC
	Clock    Clock
	State    string // as that of a Profile
	Complete bool
	Warnings []string // about the file, as those of a Profile
	Damaged  bool

	// Unplaced is how many of the lost records had no ring, so that it is not
	// known where they are missing.
	Unplaced uint64
}

// A Trace is the records of one run, in a file that is open.
type Trace struct {
	TraceHead
	StartTick uint64
	Markers   []TraceMarker
	Unpassed  []TraceMarker // that the run knows as well, and no record names
	Counted   []TraceMarker // that are only counted: records name none of these

	file    *os.File // nil: who opened it closes it
	in      *input
	pauses  []uint64 // ticks at which collection ceased, in order
	more    bool     // and others that are not known
	sampled bool     // passages are missing, for others stand for them
	marker  []int32  // by number in records
	streams []stream
}

// OpenTrace reads what there is of a trace in a data file, without its records. A
// file without any is an error. Who has opened a trace closes it.
func OpenTrace(path string) (*Trace, error) {
	f, info, err := OpenData(path)
	if err != nil {
		return nil, err
	}
	t, err := openTrace(f, info.Size(), path, alive(f))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t.file = f
	return t, nil
}

// ReadTrace is OpenTrace for data that is elsewhere than in a file: size bytes at
// r. The name stands for the file in errors and warnings.
func ReadTrace(r io.ReaderAt, size int64, name string) (*Trace, error) {
	return openTrace(r, size, name, false)
}

// Close closes the file.
func (t *Trace) Close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}

func openTrace(from io.ReaderAt, size int64, name string, alive bool) (*Trace, error) {
	in := &input{r: from, name: name, size: uint64(max(size, 0))}
	r, err := in.readRun(alive, new(Sum))
	if err != nil {
		return nil, err
	}
	if r.Trace == nil {
		return nil, fmt.Errorf("%s: no trace is in it; run the program with collect=trace in MARKGEN", name)
	}
	t := &Trace{
		TraceHead: TraceHead{
			Traced:   *r.Trace,
			Name:     name,
			App:      r.App,
			Run:      r.Run,
			PID:      r.header.word(layout.OffPID),
			Start:    r.Start,
			Clock:    r.Clock,
			State:    r.State,
			Complete: r.Complete,
			Warnings: r.Warnings,
			Damaged:  r.Damaged,
			Unplaced: r.header.word(layout.OffTraceLost),
		},
		StartTick: r.header.word(layout.OffStartTick),
		in:        r.input,
		pauses:    r.pauses(),
		more:      r.Unlogged > 0,
		sampled:   r.samplesPassages(),
	}
	t.name(r)
	for _, number := range slices.Sorted(maps.Keys(r.traces)) {
		shard := r.traces[number]
		t.streams = append(t.streams, stream{parts: shard.parts, shard: shard.number, gap: shard.gap, gapTick: shard.gapTick, gapLast: shard.gapLast})
	}
	return t, nil
}

// samplesPassages says whether some passages stand for others, all of them or those of some marker.
func (r *run) samplesPassages() bool {
	n := r.header.word(layout.OffSampleN)
	return n > 1 || n == 0 && slices.ContainsFunc(r.ordered, func(t *table) bool {
		return slices.ContainsFunc(t.Markers, func(m *Marker) bool { return m != nil && m.Sampled() })
	})
}

// name finds the markers that the numbers in records stand for.
func (t *Trace) name(r *run) {
	indexes := map[registry.ID]int32{}
	stands := func(from uint64, m *Marker) {
		if from >= maxMarkers || m == nil {
			return
		}
		i, ok := indexes[m.ID]
		if !ok {
			i = int32(len(t.Markers))
			t.Markers = append(t.Markers, traceMarker(m))
			indexes[m.ID] = i
		}
		for uint64(len(t.marker)) <= from {
			t.marker = append(t.marker, -1)
		}
		t.marker[from] = i
	}
	for _, table := range r.ordered {
		for i, m := range table.Markers {
			stands(table.first+uint64(i), m)
		}
	}
	for _, a := range r.aliases {
		stands(a.from, r.named(a.to))
	}
	for _, table := range r.ordered {
		for _, m := range table.Markers {
			if m == nil {
				continue
			}
			if _, ok := indexes[m.ID]; !ok {
				t.Unpassed = append(t.Unpassed, traceMarker(m))
			}
		}
		for _, c := range table.Counters {
			if c.Marker != nil {
				t.Counted = append(t.Counted, traceMarker(c.Marker))
			}
		}
	}
}

func traceMarker(m *Marker) TraceMarker {
	return TraceMarker{m.ID, m.Name, m.Kind, m.File, m.Line, m.Package}
}

// maxMarkers is how many numbers a record can name.
const maxMarkers = 1 << layout.RecordKindShift

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
