package trace

import (
	"io"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
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
	Marker    int32  // index in File.Markers; -1 of a gap, and where no table names it
	Level     uint32 // place of the scope among those open on its goroutine, from 1; 0: it is none
	Processor uint32 // whose ring had it
	Kind      uint8  // Record…
}

// A Marker is a marker that records name.
type Marker struct {
	ID   registry.ID
	Name string
	Kind string
	File string // as that of a Marker
	Line int

	Package string // as that of a Marker
}

// RecordBytes is what a record of a trace takes in a data file.
const RecordBytes = layout.RecordSize

// A Head is what is known of a run's trace without its records.
type Head struct {
	profile.Traced
	Name     string // of the file, as it was given
	App      string
	Run      string    // as that of a Profile
	PID      uint64    // process ID
	Start    time.Time // UTC
	Clock    profile.Clock
	State    string // as that of a Profile
	Complete bool
	Warnings []string // about the file, as those of a Profile
	Damaged  bool

	// Unplaced is how many of the lost records had no ring, so that it is not
	// known where they are missing.
	Unplaced uint64
}

// A File is the records of one run, in a file that is open.
type File struct {
	Head
	StartTick uint64
	Markers   []Marker
	Unpassed  []Marker // that the run knows as well, and no record names
	Counted   []Marker // that are only counted: records name none of these

	records *runfile.Records
	marker  []int32 // by number in records
	streams []stream
}

// Open reads what there is of a trace in a data file, without its records. A
// file without any is an error. Who has opened a trace closes it.
func Open(path string) (*File, error) {
	return openTrace(runfile.OpenRecords(path))
}

// ReadFrom is Open for data that is elsewhere than in a file: size bytes at
// r. The name stands for the file in errors and warnings.
func ReadFrom(r io.ReaderAt, size int64, name string) (*File, error) {
	return openTrace(runfile.ReadRecords(r, size, name))
}

// Close closes the file.
func (t *File) Close() error { return t.records.Close() }

func openTrace(records *runfile.Records, err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	p := records.Run
	t := &File{
		Head: Head{
			Traced:   *p.Trace,
			Name:     records.Name,
			App:      p.App,
			Run:      p.Run,
			PID:      records.PID,
			Start:    p.Start,
			Clock:    p.Clock,
			State:    p.State,
			Complete: p.Complete,
			Warnings: p.Warnings,
			Damaged:  p.Damaged,
			Unplaced: records.Unplaced,
		},
		StartTick: records.StartTick,
		records:   records,
	}
	t.name()
	for i := range records.Rings {
		t.streams = append(t.streams, stream{Ring: &records.Rings[i], parts: records.Rings[i].Parts, gap: records.Rings[i].Gap})
	}
	return t, nil
}

// name finds the markers that the numbers in records stand for.
func (t *File) name() {
	indexes := map[registry.ID]int32{}
	for _, n := range t.records.Numbers {
		if n.Number >= maxMarkers {
			continue
		}
		i, ok := indexes[n.Marker.ID]
		if !ok {
			i = int32(len(t.Markers))
			t.Markers = append(t.Markers, traceMarker(n.Marker))
			indexes[n.Marker.ID] = i
		}
		for uint64(len(t.marker)) <= n.Number {
			t.marker = append(t.marker, -1)
		}
		t.marker[n.Number] = i
	}
	unpassed := map[registry.ID]bool{}
	for _, n := range t.records.Numbers {
		if _, ok := indexes[n.Marker.ID]; !ok && !unpassed[n.Marker.ID] {
			unpassed[n.Marker.ID] = true
			t.Unpassed = append(t.Unpassed, traceMarker(n.Marker))
		}
	}
	for _, m := range t.records.Counted {
		t.Counted = append(t.Counted, traceMarker(m))
	}
}

func traceMarker(m *profile.Marker) Marker {
	return Marker{m.ID, m.Name, m.Kind, m.File, m.Line, m.Package}
}

// maxMarkers is how many numbers a record can name.
const maxMarkers = 1 << layout.RecordKindShift
