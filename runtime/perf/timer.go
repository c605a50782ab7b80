//go:build !markgen_off

package perf

import (
	"sync/atomic"
	_ "unsafe" // for go:linkname

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/layout"
)

// sleep puts the goroutine to sleep for so many ns; the runtime provides it for
// package time (runtime/time.go, timeSleep).
//
//go:linkname sleep time.Sleep
func sleep(ns int64)

// Only while something is to happen at a time is there a goroutine for it, timers: a goroutine that sleeps hides the Go
// runtime's report of a deadlock, and in programs that are marked in place it is counted with the others.

// longestSleep is how late timers may notice a change of state, ns.
const longestSleep = 10_000_000

// shortestSleep is how often they look at least for a state that a short trigger is about, ns.
const shortestSleep = 200_000

// timers runs the triggers on time, every= and the windows of sample=, until the run has ended or none of these is left.
//
//go:norace
func timers(run uint64) {
	s := &theSampler
	var c cycle
	begun := uint64(nanotime())
	for acquire(&timing); State() != layout.StateStopped && atomic.LoadUint64(&runs) == run; acquire(&timing) {
		next := longestSleep + uint64(nanotime())
		all := triggers()
		for i := range all {
			if t := &all[i]; t.Kind == config.TriggerAfter {
				next = min(next, t.due(begun), uint64(nanotime())+t.look())
			}
		}
		if !timersNeeded() {
			break
		}
		if conf.Period > 0 {
			next = min(next, c.due(begun))
		}
		if conf.windows() {
			next = min(next, s.due())
		}
		release(&timing)
		if d := int64(next - uint64(nanotime())); d > 0 {
			sleep(d)
		}
	}
	if timersRun == run {
		timersRun = 0
	}
	release(&timing)
}

// timersNeeded says whether something is still to happen at a time. A start happens once.
//
//go:norace
func timersNeeded() bool {
	all := triggers()
	for i := range all {
		if t := &all[i]; t.Kind == config.TriggerAfter && (t.Key != "start" || t.applies(State())) {
			return true
		}
	}
	return conf.Period > 0 || conf.windows()
}

// timersRun is the run that timers are there for; 0: there are none. Under timing.
var timersRun uint64

// haveTimers starts timers for a run that has none, or complains that there can be none.
//
//go:norace
func haveTimers(run uint64) {
	acquire(&timing)
	begins := timersRun != run
	timersRun = run
	release(&timing)
	if !begins {
		return
	}
	if trouble := platform.PollerTrouble(); trouble != "" {
		complain("MARKGEN: there can be no timer: " + trouble + "; no window is opened, and nothing happens after a time")
		return
	}
	startTimers(run)
}

// timing is held by timers while they look at the run and act, so that forget does not take the run away from them.
var timing mutex

// due acts if the time of the trigger has come, and gives the time of its next call, on the monotonic clock.
//
//go:norace
func (t *trigger) due(begun uint64) uint64 {
	state, tick := State(), atomic.LoadUint64(headerWord(layout.OffSince))
	since := began.Mono + toNS(less(tick, began.Tick)) // the state may have been changed from outside
	if state == layout.StateProfiling && firstProfiling == 0 {
		firstProfiling = since
	}
	switch t.Key {
	case "start":
		since = begun
	case "stop":
		since = firstProfiling
	}
	if !t.applies(state) || t.fired == tick || since == 0 {
		return never
	}
	if at := since + t.N; int64(uint64(nanotime())-at) < 0 {
		return at
	}
	t.fired = tick // once in a state
	t.act(causeTimer, 0)
	return never
}

// look is how long timers may sleep before they look whether the state has begun that the trigger is about: an eighth of
// the trigger's time, which makes it late by no more than that; ns.
func (t *trigger) look() uint64 {
	if t.Key == "start" { // its state has begun with the run
		return longestSleep
	}
	return min(max(t.N/8, shortestSleep), longestSleep)
}

const never = 1 << 62

// firstProfiling is when timers saw the run profiling first, on the monotonic clock; 0: not yet.
var firstProfiling uint64

// mostLate is the most by which a window that ends late shortens later ones, unless ten windows are more, ns: the process
// may have been stopped meanwhile.
const mostLate = 100_000_000

// A cycle is every=PERIOD:WINDOW: when the next period begins and when the window of this one ends, ns since the beginning
// of the run, and by how much windows have been too long.
type cycle struct{ next, ends, late uint64 }

// due begins or ends the window of the period if its time has come, and gives the time of its next call. A window that
// begins late is as long as others; one that ends late is made up for by leaving out later ones.
//
//go:norace
func (c *cycle) due(begun uint64) uint64 {
	t, period, width := uint64(nanotime())-begun, conf.Period, conf.Width
	if c.ends != 0 && t >= c.ends {
		want(wantPeriod, false, causeTimer, 0)
		t = uint64(nanotime()) - begun
		c.late += min(t-c.ends, max(10*width, mostLate))
		c.next += c.late / width * period
		c.late %= width
		c.next = max(c.next, t-t%period)
		c.ends = 0
	}
	switch {
	case c.ends != 0:
	case t >= c.next:
		want(wantPeriod, true, causeTimer, 0)
		c.next, c.ends = t-t%period+period, t+width
	case State() == layout.StateProfiling: // somebody has resumed from outside, or started: that is about the windows to come
		want(wantPeriod, false, causeTimer, 0)
	}
	if c.ends != 0 {
		return begun + c.ends
	}
	return begun + c.next
}

// runs is a number that changes when a run begins and when it is left.
var runs uint64
