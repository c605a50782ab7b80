package trigger

import "github.com/markgen/markgen/runtime/layout"

// A Timeline has the reference times of triggers on time.
type Timeline struct {
	Begun uint64 // beginning of the run, for triggers that start

	state     uint64
	id        uint64
	since     uint64 // beginning of the state
	profiling uint64 // when the run was first seen profiling; 0 if not yet
}

// Observe sets the run's state, when it began, and an ID, not 0, that differs after each change of
// state.
//
//go:norace
func (l *Timeline) Observe(state, id, since uint64) {
	l.state, l.id, l.since = state, id, since
	if state == layout.StateProfiling && l.profiling == 0 {
		l.profiling = since
	}
}

// shortestSleep is the minimum interval between two checks for a state to which a trigger applies,
// in ns.
const shortestSleep = 200_000

// never is later than any time, and can be added to a time without overflow.
const never = 1 << 62

// Due reports whether a trigger on time acts at a time, once per state, and when to call it again.
// That is earlier than the trigger's time, since another process may begin a state to which it
// applies: the delay is at most an eighth of the trigger's time.
//
//go:norace
func (t *Trigger) Due(l *Timeline, now uint64) (acts bool, next uint64) {
	since := l.since
	next = now + max(t.N/8, shortestSleep)
	switch t.Key {
	case "start":
		since, next = l.Begun, now+never // its state began with the run
	case "stop":
		since = l.profiling
	}
	if !t.Applies(l.state) || t.acted == l.id || since == 0 {
		return false, next
	}
	if at := since + t.N; int64(now-at) < 0 {
		return false, min(next, at)
	}
	t.acted = l.id
	return true, next
}

// maxLateness is the maximum time by which a late end of a window shortens later ones, unless ten
// windows are longer, in ns: the process may have been stopped meanwhile.
const maxLateness = 100_000_000

// A Cycle is every=PERIOD:WINDOW. A window that begins late has its full length; if one ends late,
// later ones are skipped to compensate.
type Cycle struct {
	Begun         uint64 // beginning of the first period
	Period, Width uint64 // ns

	next   uint64 // beginning of the next period, ns since Begun, like ends
	ends   uint64 // end of the current window; 0 if it has ended
	ending bool   // Step has asked to end the window
	late   uint64 // by how much windows have been too long, ns
}

// Step returns the request of the cycle at a time, in a state. The caller makes that change and
// calls Step again, with the new time, until ok is false, and then at the time of Next.
//
//go:norace
func (c *Cycle) Step(state, now uint64) (r Request, ok bool) {
	t := now - c.Begun
	if c.ending {
		c.late += min(t-c.ends, max(10*c.Width, maxLateness))
		c.next += c.late / c.Width * c.Period
		c.late %= c.Width
		c.ends, c.ending = 0, false
	}
	switch {
	case c.ends != 0:
		c.ending = t >= c.ends
		return Request{sourcePeriod, false}, c.ending
	case t >= c.next:
		c.next, c.ends = t-t%c.Period+c.Period, t+c.Width
		return Request{sourcePeriod, true}, true
	}
	// Another process has resumed, or Start was called: that is about the windows to come.
	return Request{sourcePeriod, false}, state == layout.StateProfiling
}

// Next returns when to call Step, if the state does not change before.
//
//go:norace
func (c *Cycle) Next() uint64 {
	if c.ends != 0 {
		return c.Begun + c.ends
	}
	return c.Begun + c.next
}
