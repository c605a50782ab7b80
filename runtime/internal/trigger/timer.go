package trigger

import "github.com/markgen/markgen/runtime/layout"

// A Timeline has the times from which triggers on time count.
type Timeline struct {
	Begun uint64 // when the run began, for triggers that start

	state     uint64
	id        uint64
	since     uint64 // when the state began
	profiling uint64 // when the run was seen profiling first; 0: not yet
}

// Observe notes the state that the run is in, since when, and an id, not 0, that is another one
// after each change of state.
//
//go:norace
func (l *Timeline) Observe(state, id, since uint64) {
	l.state, l.id, l.since = state, id, since
	if state == layout.StateProfiling && l.profiling == 0 {
		l.profiling = since
	}
}

// shortestSleep is how often it is looked at least for a state that a short trigger is about, ns.
const shortestSleep = 200_000

// never is later than anything, and can be added to a time.
const never = 1 << 62

// Due says whether a trigger on time acts at a time, once in a state, and when it is to be asked
// again: before its time, too, since another process may begin the state that it is about. An
// eighth of the trigger's time is how late that makes it at most.
//
//go:norace
func (t *Trigger) Due(l *Timeline, now uint64) (acts bool, next uint64) {
	since := l.since
	next = now + max(t.N/8, shortestSleep)
	switch t.Key {
	case "start":
		since, next = l.Begun, now+never // its state has begun with the run
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

// mostLate is the most by which a window that ends late shortens later ones, unless ten windows are
// more, ns: the process may have been stopped meanwhile.
const mostLate = 100_000_000

// A Cycle is every=PERIOD:WINDOW. A window that begins late is as long as others; one that ends
// late is made up for by leaving out later ones.
type Cycle struct {
	Begun         uint64 // when the first period begins
	Period, Width uint64 // ns

	next   uint64 // when the next period begins, ns since Begun, as what follows
	ends   uint64 // when the window of this one ends; 0: it has ended
	ending bool   // Step has asked for that
	late   uint64 // by how much windows have been too long
}

// Step gives what the cycle asks for at a time, in a state. The caller makes that change and calls
// it again, with the time then, until there is nothing, and then at the time of Next.
//
//go:norace
func (c *Cycle) Step(state, now uint64) (r Request, ok bool) {
	t := now - c.Begun
	if c.ending {
		c.late += min(t-c.ends, max(10*c.Width, mostLate))
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
	// Somebody has resumed from outside, or started: that is about the windows to come.
	return Request{sourcePeriod, false}, state == layout.StateProfiling
}

// Next is when Step has something to do, if nobody changes the state.
//
//go:norace
func (c *Cycle) Next() uint64 {
	if c.ends != 0 {
		return c.Begun + c.ends
	}
	return c.Begun + c.next
}
