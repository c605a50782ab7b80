//go:build !markgen_off

package perf

import (
	"sync/atomic"
	_ "unsafe" // for go:linkname

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/internal/trigger"
	"github.com/markgen/markgen/runtime/layout"
)

// sleep puts the goroutine to sleep for so many ns; the runtime provides it for
// package time (runtime/time.go, timeSleep).
//
//go:linkname sleep time.Sleep
func sleep(ns int64)

// Only while something is to happen at a time is there a goroutine for it, timers: a goroutine that
// sleeps hides the Go runtime's report of a deadlock, and in programs that are marked in place it
// is counted with the others.

// longestSleep is how late timers may notice a change of state, ns.
const longestSleep = 10_000_000

// timers runs the triggers on time, every= and the windows of sample=, until the run has ended or
// none of these is left.
//
//go:norace
func timers(run uint64) {
	s := &theSampler
	line := trigger.Timeline{Begun: uint64(nanotime())}
	cycle := trigger.Cycle{Begun: line.Begun, Period: conf.Period, Width: conf.Width}
	for acquire(&timing); State() != layout.StateStopped && atomic.LoadUint64(&runs) == run; acquire(&timing) {
		next := longestSleep + uint64(nanotime())
		all := triggers()
		for i := range all {
			if t := &all[i]; t.Kind == config.TriggerAfter {
				next = min(next, dueAt(t, &line))
			}
		}
		if !all.Pending(uint64(State())) && conf.Period == 0 && !conf.windows() { // nothing is still to happen at a time
			break
		}
		if conf.Period > 0 {
			next = min(next, cycleAt(&cycle))
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

// dueAt acts if the time of the trigger has come, and gives the time of its next call, on the
// monotonic clock.
//
//go:norace
func dueAt(t *trigger.Trigger, line *trigger.Timeline) uint64 {
	state, tick := State(), atomic.LoadUint64(headerWord(layout.OffSince)) // they may have been changed from outside
	line.Observe(uint64(state), tick, began.Mono+toNS(less(tick, began.Tick)))
	acts, next := t.Due(line, uint64(nanotime()))
	if acts {
		act(t, causeTimer, 0)
	}
	return next
}

// cycleAt begins or ends the window of the period if its time has come, and gives the time of its
// next call.
//
//go:norace
func cycleAt(c *trigger.Cycle) uint64 {
	for {
		r, ok := c.Step(uint64(State()), uint64(nanotime()))
		if !ok {
			return c.Next()
		}
		acquire(&deciding)
		meet(r, causeTimer, 0)
		release(&deciding)
	}
}

// timersRun is the run that timers are there for; 0: there are none.
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

// timing is held by timers while they look at the run and act, so that forget does not take the run
// away from them. It guards timersRun, and what triggers keep of times.
var timing mutex

// runs is a number that changes when a run begins and when it is left.
var runs uint64
