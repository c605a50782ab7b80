//go:build !markgen_off

package perf

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/mutex"
	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/internal/tabletext"
	"github.com/markgen/markgen/runtime/layout"
)

// A stopwatch is a named scope that the program starts and stops by hand, on any goroutine.
type stopwatch struct {
	m       Marker
	running bool
	start   uint64 // tick; 0 if it was started while nothing was collected
	run     uint64 // number of the run in which it was started
	open    *stack // a stack in the run's data with room for one scope; nil if not made yet
}

var (
	stopwatches map[string]*stopwatch // by name; under stopwatchMu
	stopwatchMu mutex.Mutex
)

// StartWatch starts the stopwatch of that name, which reports show as a region at the place of its
// first start. It returns an error if the stopwatch runs, if name is empty or longer than 256
// bytes, or if it would be the 10,001st stopwatch; stopwatches are never freed. Any goroutine may
// call StartWatch.
//
//go:norace
func StartWatch(name string) error {
	if name == "" {
		return &WatchError{"StartWatch", name, "it has no name", "give it one"}
	}
	if len(name) > maxStopwatchName {
		return &WatchError{"StartWatch", name, "its name is longer than 256 bytes", "give it a shorter one"}
	}
	begin()
	ready()
	t := uint64(0)
	if collects() {
		t = now()
	}
	stopwatchMu.Lock()
	defer stopwatchMu.Unlock()
	w := stopwatches[name]
	if w == nil {
		if len(stopwatches) == maxStopwatches {
			return &WatchError{"StartWatch", name, "there are 10000 stopwatches", "give fewer names: what differs each time belongs in none"}
		}
		w = newStopwatch(name)
	}
	if w.running {
		return &WatchError{"StartWatch", name, "it runs already", "stop it first"}
	}
	w.running = true
	w.start = 0
	first := shared.Load(&w.m.index)&layout.IndexMask == 0
	if i := decide(&w.m); i != 0 { // triggers see it in any state
		if first { // the time that decide took is in a record of the trace
			t = now()
		}
		w.begin(i)
		if hot.hooks&hookTrace != 0 {
			tracing.rings.WriteSlow(goidOf(getg()), i|layout.RecordStart<<layout.RecordKindShift, 0, t)
		}
		w.start = now()
	}
	return nil
}

// StopWatch stops the stopwatch of that name. It returns an error if the stopwatch is not running
// or does not exist.
//
//go:norace
func StopWatch(name string) error {
	t := uint64(0)
	if collects() {
		t = now()
	}
	stopwatchMu.Lock()
	defer stopwatchMu.Unlock()
	w := stopwatches[name]
	if w == nil {
		return &WatchError{"StopWatch", name, "there is none of that name", "start it first"}
	}
	if !w.running {
		return &WatchError{"StopWatch", name, "it does not run", "start it first"}
	}
	w.running = false
	if i := shared.Load(&w.m.index) & layout.IndexMask; w.start != 0 && w.run == atomic.LoadUint64(&runs) && i != 0 {
		if w.end(i, t) && hot.hooks&hookTrace != 0 {
			tracing.rings.WriteSlow(goidOf(getg()), i|layout.RecordStop<<layout.RecordKindShift, 0, t)
		}
		if hot.hooks != 0 {
			recorded(i)
		}
	}
	return nil
}

// maxStopwatches is the maximum number of stopwatches.
const maxStopwatches = 10_000

// begin writes an open scope of the stopwatch, whose marker has index i, to the data file.
//
//go:norace
//go:nocheckptr
func (w *stopwatch) begin(i uint32) {
	if run := atomic.LoadUint64(&runs); w.run != run {
		w.run, w.open = run, nil
	}
	if w.open == nil {
		lock()
		if s := (*stack)(space.New(layout.BlockStack, 0, layout.OffStackData+layout.StackSize)); s != nil {
			s.room = 1
			s.at(0).index = i
			space.Publish(unsafe.Pointer(s))
			w.open = s
		}
		unlock()
	}
	if w.open != nil {
		w.open.at(0).start = now()
		w.open.n = 1
	}
}

// end records a scope that ended at tick t. It returns false if its run has ended: the scope stays
// open in that run's data.
//
//go:norace
func (w *stopwatch) end(i uint32, t uint64) (kept bool) {
	d := t - w.start
	if int64(d) < 0 {
		d = 0
	}
	ns := toNS(d)
	p := endedScope{timed: true, how: endedApart, ns: ns, self: ns, ticks: d, at: t}
	kept = hot.hooks&hookUntimed != 0 && State() != layout.StateStopped || hot.hooks&hookUntimed == 0 && p.keep(i)
	if kept && w.open != nil {
		w.open.n = 0
	}
	return kept
}

func (t *table) ofStopwatch() bool { return tabletext.IsStopwatch(t.text) }

// callSite returns where the program calls this package, perhaps through a package that forwards
// the call.
func callSite() (file string, line int) {
	const forward = "/markgen_forward.go"
	for skip := 3; ; skip++ {
		_, file, line, ok := runtime.Caller(skip)
		if !ok {
			return "-", 1
		}
		if len(file) < len(forward) || file[len(file)-len(forward):] != forward {
			return file, line
		}
	}
}

// newStopwatch registers a table for a stopwatch.
func newStopwatch(name string) *stopwatch {
	file, line := callSite()
	w := &stopwatch{}
	if stopwatches == nil {
		stopwatches = map[string]*stopwatch{}
	}
	stopwatches[name] = w
	Register(&w.m, 1, nil, 0, tabletext.Stopwatch(name, file, line))
	return w
}
