package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/markgen/markgen/profile/trace"
	"github.com/markgen/markgen/units"
)

// A TraceWriter writes the traces of runs as one object in Chrome's trace event format, which
// Perfetto and chrome://tracing read:
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
//
// A run is a process, and a goroutine a thread. A scope is an event of type B and one of type E;
// for a scope that is open when the trace ends, the latter is at its last record. The events of a
// goroutine are in the file in the order in which they occurred, so that they nest even if the
// clock gives several the same time. Instants are used for points, scopes of which only one end is
// known, and places where records are missing, as profile.Trace.Steps reports them.
//
// Times are in µs with three decimals, since the start of the first run. Only one buffer of the
// output is in memory.
type TraceWriter struct {
	w     io.Writer
	err   error // of writing to w
	buf   []byte
	some  bool // events have been written
	start time.Time
	heads []trace.Head
	pids  []uint64 // process IDs of heads
}

// traceBuffer is the approximate number of bytes per write.
const traceBuffer = 256 << 10

// chromeHead is written before the events, since readers may need the unit first.
type chromeHead struct {
	Unit  string      `json:"displayTimeUnit"`
	Other chromeOther `json:"otherData"`
}

type chromeOther struct {
	Generator string      `json:"generator"`
	Start     string      `json:"start"` // time at which ts is 0; RFC 3339, UTC
	Runs      []chromeRun `json:"runs"`
	Warnings  []string    `json:"warnings"`
}

type chromeRun struct {
	PID        uint64    `json:"pid"` // of the run's events
	App        string    `json:"app"`
	Run        string    `json:"run"`
	Start      string    `json:"start"` // RFC 3339, UTC
	State      string    `json:"state"`
	Complete   bool      `json:"complete"`
	Clock      jsonClock `json:"clock"`
	OverheadNS float64   `json:"overhead_ns"` // of a scope
	Records    uint64    `json:"records"`
	Lost       uint64    `json:"lost"`
}

// Estimated size of a timeline, and maximum size for viewers: docs/howto/trace-a-request.md.
const (
	eventBytes  = 120 // per record, approximately
	viewerBytes = 500e6
)

// LargeTimeline returns a warning if the timeline of these runs may be too large for viewers, or
// "".
func LargeTimeline(heads []trace.Head) string {
	records := 0.0
	for _, h := range heads {
		records += float64(h.Records)
	}
	bytes := records * eventBytes
	if bytes < viewerBytes {
		return ""
	}
	return fmt.Sprintf("the timeline will have about %s MB, which viewers keep in memory: chrome://tracing opens no more than 500, Perfetto needs its trace_processor from 2,000 on; collect less of it, with start=, stop=, only= or buffer= in MARKGEN",
		units.Count(uint64(min(bytes/1e6, math.MaxInt64))))
}

// NewTraceWriter begins writing. heads are the heads of all runs that will be added. The warnings
// are included in the file.
func NewTraceWriter(w io.Writer, heads []trace.Head, warnings []string) *TraceWriter {
	t := &TraceWriter{w: w, heads: heads, pids: chromePIDs(heads), buf: make([]byte, 0, traceBuffer+traceBuffer/4)}
	for _, h := range heads {
		if h.Start.UnixNano() > 0 && (t.start.IsZero() || h.Start.Before(t.start)) {
			t.start = h.Start
		}
	}
	head := chromeHead{"ns", chromeOther{Generator: "markgen", Start: timestamp(t.start), Runs: []chromeRun{}, Warnings: append([]string{}, warnings...)}}
	for i, h := range heads {
		head.Other.Runs = append(head.Other.Runs, chromeRun{
			PID:        t.pids[i],
			App:        h.App,
			Run:        h.Run,
			Start:      timestamp(h.Start),
			State:      h.State,
			Complete:   h.Complete,
			Clock:      jsonClock{h.Clock.Kind, h.Clock.Hz, h.Clock.QuantumNS, h.Clock.ReadNS},
			OverheadNS: h.Clock.WholeNS,
			Records:    h.Records,
			Lost:       h.Lost,
		})
	}
	text := jsonText(head)
	t.buf = append(t.buf, text[:len(text)-1]...) // without its closing brace
	t.buf = append(t.buf, ",\n\"traceEvents\":["...)
	return t
}

// timestamp formats a time for JSON.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// firstOtherPID is larger than any process ID on Linux.
const firstOtherPID = 1<<22 + 1

// chromePIDs returns the process IDs for the runs' events: that of the process, or another if an
// earlier run has the same.
func chromePIDs(heads []trace.Head) []uint64 {
	pids := make([]uint64, len(heads))
	used := map[uint64]bool{}
	for i, h := range heads {
		if h.PID > 0 && h.PID <= math.MaxInt32 && !used[h.PID] {
			pids[i] = h.PID
			used[h.PID] = true
		}
	}
	other := uint64(firstOtherPID)
	for i := range pids {
		if pids[i] == 0 {
			for used[other] {
				other++
			}
			pids[i] = other
			used[other] = true
		}
	}
	return pids
}

// Add writes the events of the run with head heads[i]. If reading the trace fails, the rest of it
// is missing, but the writer remains usable.
func (t *TraceWriter) Add(i int, trace *trace.File) error {
	h, pid := &t.heads[i], t.pids[i]
	labels := "started " + timestamp(h.Start)
	if !h.Complete {
		labels += "; data not complete"
	}
	for _, m := range []struct {
		name, key string
		value     any
	}{
		{"process_name", "name", fmt.Sprintf("%s %d", h.App, h.PID)},
		{"process_labels", "labels", labels},
		{"process_sort_index", "sort_index", i},
	} {
		t.event()
		t.buf = fmt.Appendf(t.buf, `{"name":%q,"ph":"M","pid":%d,"args":{%q:%s}}`, m.name, pid, m.key, jsonText(m.value))
	}
	e := newChromeEvents(t, i, trace)
	givenUp, err := trace.Steps(e.step)
	if givenUp > 0 && err == nil {
		err = &ScopesGivenUpError{givenUp}
	}
	if t.err != nil {
		err = t.err
	}
	return err
}

// A ScopesGivenUpError reports that too many scopes were open at once to follow all of them to
// their ends. Everything else is written.
type ScopesGivenUpError struct{ Scopes uint64 }

func (e *ScopesGivenUpError) Error() string {
	return fmt.Sprintf("%s of a million open at once were not followed to their ends", units.Plural(int(min(e.Scopes, math.MaxInt)), "scope"))
}

// event makes space in the buffer for an event.
func (t *TraceWriter) event() {
	if len(t.buf) >= traceBuffer {
		t.flush()
	}
	if t.some {
		t.buf = append(t.buf, ',')
	}
	t.some = true
	t.buf = append(t.buf, '\n')
}

func (t *TraceWriter) flush() {
	if t.err == nil {
		_, t.err = t.w.Write(t.buf)
	}
	t.buf = t.buf[:0]
}

// Err returns the first write error, if any; nothing is written after it.
func (t *TraceWriter) Err() error { return t.err }

// Close writes the end of the file. It does not close the underlying writer.
func (t *TraceWriter) Close() error {
	t.buf = append(t.buf, "\n]}\n"...)
	t.flush()
	return t.err
}

// jsonText encodes a value that cannot fail to encode.
func jsonText(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // NaN or Inf, impossible here: the numbers are derived from integers
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}
