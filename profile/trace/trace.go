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
	RecordPoint = layout.RecordPoint // a call without a duration
	RecordEnter = layout.RecordEnter // a scope begins
	RecordExit  = layout.RecordExit  // a scope ends
	RecordLeft  = layout.RecordLeft  // a scope was left by a panic or runtime.Goexit
	RecordTaken = layout.RecordTaken // not a call: a marker took additional time when it was first called
	RecordGap   = layout.RecordGap   // records of this processor are missing
	RecordStart = layout.RecordStart // a stopwatch starts
	RecordStop  = layout.RecordStop  // a stopwatch stops, perhaps on another goroutine
)

// A Record is one event of a trace.
type Record struct {
	Tick      uint64 // of the run's clock
	Goroutine uint64 // goid; for a gap the number of missing records
	Cost      uint64 // time that the marker took from Tick on, ticks/256; for a gap the tick at which it ends
	Marker    int32  // index in File.Markers; -1 for a gap, or if no table names the marker
	Level     uint32 // nesting level of the scope on its goroutine, from 1; 0 if it is no scope
	Processor uint32 // number of its processor
	Kind      uint8  // Record…
}

// A Marker is a marker that occurs in records.
type Marker struct {
	ID   registry.ID
	Name string
	Kind string
	File string // as in profile.Marker
	Line int

	Package string // as in profile.Marker
}

// RecordBytes is the size of a trace record in a data file.
const RecordBytes = layout.RecordSize

// A Head describes a trace without its records.
type Head struct {
	profile.Traced
	Name     string // of the file, as given by the caller
	App      string
	Run      string    // as in profile.Profile
	PID      uint64    // process ID
	Start    time.Time // UTC
	Clock    profile.Clock
	State    string // as in profile.Profile
	Complete bool
	Warnings []string // about the file, as in profile.Profile
	Damaged  bool

	// Unplaced is the number of lost records that had no ring, so that their position is unknown.
	Unplaced uint64
}

// A File has the records of one run. It must be closed.
type File struct {
	Head
	StartTick uint64
	Markers   []Marker
	Unpassed  []Marker // other markers of the run, without records
	Counted   []Marker // markers that are only counted, without records

	records *runfile.Records
	marker  []int32 // index in Markers, by number in records
	streams []stream
}

// Open reads the description of a trace in a data file, without its records. It returns an error if
// there is no trace. The caller must close the file.
func Open(path string) (*File, error) {
	return openTrace(runfile.OpenRecords(path))
}

// ReadFrom is like Open for size bytes at r. The name stands for the file in errors and warnings.
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

// name resolves the marker numbers in records.
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

// maxMarkers is the number of marker numbers that fit in a record.
const maxMarkers = 1 << layout.RecordKindShift
