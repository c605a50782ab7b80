package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/trace"
)

// chromeEvents writes the events of one run. Everything possible is prepared in advance; for each
// event only the thread, the time and the processor remain to be written.
type chromeEvents struct {
	*TraceWriter
	startTick uint64
	nsPer     float64 // ns per clock tick
	offset    uint64  // start of the run, ns
	usual     uint64  // usual cost of a scope, ticks/256; more expensive records have an argument with their cost

	pid     string
	thread  string
	markers []chromeMarker // the last one represents markers without a name
}

// A chromeMarker has the constant parts of a marker's events.
type chromeMarker struct {
	begin   string // from the start of a begin event to the thread
	end     string // the same for an end event, with the name, by which readers that sort events find the beginning
	instant string
	head    string // from the start of an event to its category
	args    string // from after the time to the processor
	id      string // the same with the marker's ID, for its first event; then ""
	name    string // encoded as JSON
}

func newChromeEvents(t *TraceWriter, i int, trace *trace.File) *chromeEvents {
	e := &chromeEvents{TraceWriter: t, startTick: trace.StartTick, nsPer: 1, pid: strconv.FormatUint(t.pids[i], 10)}
	if hz := trace.Clock.Hz; hz > 0 {
		e.nsPer = 1e9 / hz
	}
	if d := trace.Start.Sub(t.start); d > 0 {
		e.offset = uint64(d)
	}
	e.usual = uint64(min(trace.Clock.WholeNS/e.nsPer*256, 1<<40))
	e.thread = `{"name":"thread_name","ph":"M","pid":` + e.pid + `,"tid":`
	e.markers = make([]chromeMarker, len(trace.Markers)+1)
	for k := range trace.Markers {
		m := &trace.Markers[k]
		c := e.marker(m.Name, m.Kind)
		if m.File != "" {
			c.args += `"place":` + string(jsonText(profile.Place(m.File, m.Line))) + `,`
		}
		c.id = c.args + `"id":"` + m.ID.String() + `",`
		e.markers[k] = c
	}
	e.markers[len(trace.Markers)] = e.marker("unknown marker", "unknown")
	return e
}

// marker returns a chromeMarker without a place and an ID.
func (e *chromeEvents) marker(name, kind string) chromeMarker {
	c := chromeMarker{name: string(jsonText(name)), args: `,"args":{`}
	c.head = `{"name":` + c.name + `,"cat":` + string(jsonText(kind))
	c.begin = c.head + `,"ph":"B","pid":` + e.pid + `,"tid":`
	c.end = `{"name":` + c.name + `,"ph":"E","pid":` + e.pid + `,"tid":`
	c.instant = c.head + `,"ph":"i","s":"t","pid":` + e.pid + `,"tid":`
	return c
}

// Arguments of scopes of which not both ends are known.
const (
	endLeft   = `,"args":{"end":"left by a panic or runtime.Goexit, at this time or before"`
	endLost   = `,"args":{"end":"not recorded, not before this"`
	endOpen   = `,"args":{"end":"open when the trace ends"`
	loneBegin = `,"scope":"begins, its end is not known"`
	loneEnd   = `,"scope":"ends, its beginning is not known"`
	loneLeft  = `,"scope":"was left by a panic or runtime.Goexit, its beginning is not known"`
	lostStop  = `,"end":"not recorded, not before this"`
	loneStart = `,"scope":"a stopwatch is started, its stop is not known"`
	loneStop  = `,"scope":"a stopwatch is stopped, its start is not known"`
)

func (e *chromeEvents) step(s *trace.Step) {
	if s.New {
		e.event()
		e.buf = append(e.buf, e.thread...)
		e.buf = strconv.AppendUint(e.buf, s.Goroutine, 10)
		e.buf = append(e.buf, `,"args":{"name":"goroutine `...)
		e.buf = strconv.AppendUint(e.buf, s.Goroutine, 10)
		e.buf = append(e.buf, `"}}`...)
	}
	e.event()
	m := &e.markers[len(e.markers)-1]
	if uint(s.Marker) < uint(len(e.markers)-1) {
		m = &e.markers[s.Marker]
	}
	switch s.Kind {
	case trace.StepBegin:
		e.of(m, m.begin, s, "")
	case trace.StepEnd:
		e.ending(m, s, "")
	case trace.StepLeft:
		e.ending(m, s, endLeft)
	case trace.StepLost:
		e.ending(m, s, endLost)
	case trace.StepOpen:
		e.ending(m, s, endOpen)
	case trace.StepPoint:
		e.of(m, m.instant, s, "")
	case trace.StepLoneBegin:
		e.of(m, m.instant, s, loneBegin)
	case trace.StepLoneEnd:
		e.of(m, m.instant, s, loneEnd)
	case trace.StepLoneLeft:
		e.of(m, m.instant, s, loneLeft)
	case trace.StepStart:
		if s.Watch == 0 {
			e.of(m, m.instant, s, loneStart)
		} else {
			e.of(m, e.watch(m, "b", s.Watch), s, "")
		}
	case trace.StepStop:
		if s.Watch == 0 {
			e.of(m, m.instant, s, loneStop)
		} else {
			e.stop(m, s)
		}
	case trace.StepStopLost:
		e.of(m, e.watch(m, "e", s.Watch), s, lostStop)
	case trace.StepTaken:
		e.taken(m, s)
	case trace.StepGap:
		e.gap(s.Record)
	}
}

// watch returns an event of a stopwatch up to the thread. Its two ends are an async slice on a
// track of its own, identified by number.
func (e *chromeEvents) watch(m *chromeMarker, phase string, number uint64) string {
	return m.head + `,"ph":"` + phase + `","id2":{"local":"` + strconv.FormatUint(number, 10) + `"},"pid":` + e.pid + `,"tid":`
}

// stop writes the end of a stopwatch on the thread on which it began, where readers that go by
// thread look for it.
func (e *chromeEvents) stop(m *chromeMarker, s *trace.Step) {
	on, more := *s, ""
	if on.Goroutine = s.Starter; on.Goroutine != s.Goroutine {
		more = `,"stopped_by":"goroutine ` + strconv.FormatUint(s.Goroutine, 10) + `"`
	}
	e.of(m, e.watch(m, "e", s.Watch), &on, more)
}

// of writes an event of a marker. head is its first part, and more additional arguments.
func (e *chromeEvents) of(m *chromeMarker, head string, s *trace.Step, more string) {
	b := append(e.buf, head...)
	b = strconv.AppendUint(b, s.Goroutine, 10)
	b = append(b, `,"ts":`...)
	b = appendMicroseconds(b, e.ns(s.Tick))
	args := m.args
	if m.id != "" {
		args, m.id = m.id, ""
	}
	b = append(b, args...)
	if s.Record != nil {
		b = append(b, `"processor":`...)
		b = strconv.AppendUint(b, uint64(s.Record.Processor), 10)
	} else {
		more = strings.TrimPrefix(more, ",")
	}
	b = append(b, more...)
	if s.Record != nil && s.Record.Cost > e.usual {
		b = append(b, `,"overhead_ns":`...)
		b = strconv.AppendUint(b, e.cost(s.Record), 10)
	}
	e.buf = append(b, `}}`...)
}

// ending writes the end of the thread's innermost scope, which is of m. args are its arguments
// without the closing brace, or "".
func (e *chromeEvents) ending(m *chromeMarker, s *trace.Step, args string) {
	b := append(e.buf, m.end...)
	b = strconv.AppendUint(b, s.Goroutine, 10)
	b = append(b, `,"ts":`...)
	b = appendMicroseconds(b, e.ns(s.Tick))
	b = append(b, args...)
	if s.Record != nil && s.Record.Cost > e.usual {
		if args == "" {
			b = append(b, `,"args":{`...)
		} else {
			b = append(b, ',')
		}
		args = `"end_overhead_ns":`
		b = append(b, args...)
		b = strconv.AppendUint(b, e.cost(s.Record), 10)
	}
	if args != "" {
		b = append(b, '}')
	}
	e.buf = append(b, '}')
}

// taken writes additional overhead of a marker, for example at its first execution.
func (e *chromeEvents) taken(m *chromeMarker, s *trace.Step) {
	b := append(e.buf, `{"name":"overhead","cat":"markgen","ph":"i","s":"t","pid":`...)
	b = append(b, e.pid...)
	b = append(b, `,"tid":`...)
	b = strconv.AppendUint(b, s.Goroutine, 10)
	b = append(b, `,"ts":`...)
	b = appendMicroseconds(b, e.ns(s.Tick))
	b = append(b, `,"args":{"marker":`...)
	b = append(b, m.name...)
	b = append(b, `,"processor":`...)
	b = strconv.AppendUint(b, uint64(s.Record.Processor), 10)
	b = append(b, `,"overhead_ns":`...)
	b = strconv.AppendUint(b, e.cost(s.Record), 10)
	e.buf = append(b, `}}`...)
}

// gap writes an event where records of a processor are missing: from its time to the time in its
// arguments, or to the end.
func (e *chromeEvents) gap(r *trace.Record) {
	b := append(e.buf, `{"name":"records missing","cat":"markgen","ph":"i","s":"p","pid":`...)
	b = append(b, e.pid...)
	b = append(b, `,"ts":`...)
	b = appendMicroseconds(b, e.ns(r.Tick))
	b = append(b, `,"args":{"records":`...)
	b = strconv.AppendUint(b, r.Goroutine, 10)
	b = append(b, `,"processor":`...)
	b = strconv.AppendUint(b, uint64(r.Processor), 10)
	if r.Cost != math.MaxUint64 {
		b = append(b, `,"until_us":`...)
		b = appendMicroseconds(b, e.ns(r.Cost))
	}
	e.buf = append(b, `}}`...)
}

// ns converts a clock tick to ns since the start of the first run. It is monotonic, and its error
// is below 1 ns in the first hundred days.
func (e *chromeEvents) ns(tick uint64) uint64 {
	if tick <= e.startTick { // possible in a damaged file
		return e.offset
	}
	return e.offset + uint64(min(float64(tick-e.startTick)*e.nsPer+0.5, 1<<62))
}

// cost returns the overhead of a record in ns.
func (e *chromeEvents) cost(r *trace.Record) uint64 {
	return uint64(float64(r.Cost)*e.nsPer/256 + 0.5)
}

// appendMicroseconds formats ns as µs, with three decimals.
func appendMicroseconds(b []byte, ns uint64) []byte {
	us, rest := ns/1000, ns%1000
	b = strconv.AppendUint(b, us, 10)
	return append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
}
