package profile

import (
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
