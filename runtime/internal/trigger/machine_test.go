package trigger

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/layout"
)

var states = []string{
	layout.StateUnconfigured: "unconfigured",
	layout.StateConfigured:   "configured",
	layout.StateProfiling:    "profiling",
	layout.StatePaused:       "paused",
	layout.StateStopped:      "stopped",
}

// A run does with its own state and clock what package perf does with the process's.
type run struct {
	t        *testing.T
	triggers Set
	machine  Machine
	timeline Timeline
	cycle    Cycle
	now      uint64
	next     uint64 // when to call Due and Step
	state    uint64
	changes  uint64 // of the state
	since    uint64 // the latest
}

const begun = 1000 * uint64(time.Second)

// newRun begins a run whose markers M, N and O are numbered from 1. Its first scope has begun, so
// it collects unless it waits.
func newRun(t *testing.T, spec string) *run {
	c, problem := config.Parse(spec)
	if problem != "" {
		t.Fatal(problem)
	}
	r := &run{t: t, triggers: New(&c), machine: NewMachine(&c), now: begun, next: begun}
	r.timeline.Begun = begun
	r.cycle = Cycle{Begun: begun, Period: c.Period, Width: c.Width}
	for i, name := range []string{"M", "N", "O"} {
		r.triggers.Watch(name, uint32(i+1))
	}
	r.change(layout.StateConfigured)
	if !c.Waits {
		r.change(layout.StateProfiling)
	}
	return r
}

func (r *run) change(to uint64) {
	if to != r.state {
		r.state, r.since = to, r.now
		r.changes++
		r.triggers.Enter(to)
	}
}

func (r *run) apply(request Request) {
	r.change(r.machine.Next(request, r.state))
	r.machine.Done(request)
}

func (r *run) act(t *Trigger) {
	if t.Key == "stop" {
		if t.Applies(r.state) {
			r.change(layout.StateStopped)
		}
	} else if request, ok := r.machine.Trigger(t, r.state); ok {
		r.apply(request)
	}
}

// look does what is due at the current time.
func (r *run) look() {
	r.next = r.now + uint64(10*time.Millisecond)
	if r.state == layout.StateStopped {
		return
	}
	for i := range r.triggers {
		if t := &r.triggers[i]; t.Kind == config.TriggerAfter {
			r.timeline.Observe(r.state, r.changes, r.since)
			acts, at := t.Due(&r.timeline, r.now)
			if acts {
				r.act(t)
			}
			r.next = min(r.next, at)
		}
	}
	if r.cycle.Period > 0 {
		for request, ok := r.cycle.Step(r.state, r.now); ok; request, ok = r.cycle.Step(r.state, r.now) {
			r.apply(request)
		}
		r.next = min(r.next, r.cycle.Next())
	}
}

// event makes one thing happen: a scope of a marker begins, ends, or ends without a record; the
// program calls Pause or Resume; another process sets the state; or time passes.
func (r *run) event(what string) {
	verb, object, _ := strings.Cut(what, " ")
	marker := uint32(strings.Index(" MNO", object))
	switch verb {
	case "begin":
		for i := range r.triggers {
			if t := &r.triggers[i]; t.Begin(r.state, marker) {
				r.act(t)
			}
		}
	case "end", "lose":
		recorded := verb == "end" && r.state == layout.StateProfiling
		for i := range r.triggers {
			if t := &r.triggers[i]; recorded && t.Record(r.state) {
				r.act(t)
			}
		}
		for i := range r.triggers {
			if t := &r.triggers[i]; t.End(r.state, marker, recorded) {
				r.act(t)
			}
		}
	case "Pause", "Resume":
		if r.cycle.Period > 0 {
			if request, ok := r.machine.Call(verb == "Resume", r.state); ok {
				r.apply(request)
				return
			}
		}
		switch {
		case verb == "Resume" && r.state == layout.StatePaused:
			r.change(layout.StateProfiling)
		case verb == "Pause" && r.state == layout.StateProfiling:
			r.change(layout.StatePaused)
		}
	case "set":
		for i, name := range states {
			if name == object {
				r.change(uint64(i))
			}
		}
	default:
		d, err := time.ParseDuration(verb)
		if err != nil {
			r.t.Fatal(err)
		}
		until := r.now + uint64(d)
		for r.next <= until {
			r.now = r.next
			r.look()
		}
		r.now = until
	}
}

// Events lead from one state to the next: each line has an event and the state after it.
func TestStates(t *testing.T) {
	for _, tt := range []struct{ spec, events string }{
		// The run collects while M runs, on any goroutines; the trigger that starts also resumes.
		{"start=on:M,pause=on:M", `
			begin N: configured
			end N:   configured
			begin M: profiling
			begin M: profiling
			end M:   profiling
			end N:   profiling
			end M:   paused
			begin N: paused
			begin M: profiling
			end M:   paused`},
		{"start=on:*", `begin O: profiling`},
		{"start=count:M:3", `
			begin M: configured
			begin N: configured
			begin M: configured
			begin M: profiling`},

		// Scopes and records are counted from the beginning of the state, except for stop.
		{"stop=count:M:2", `
			end M:  profiling
			lose M: profiling
			end M:  stopped`},
		{"pause=records:2,resume=on:N,stop=records:4", `
			end M:   profiling
			end O:   paused
			end M:   paused
			begin N: profiling
			end N:   profiling
			end M:   stopped`},
		{"pause=count:M:2,resume=count:M:2", `
			end M:   profiling
			begin M: profiling
			end M:   paused
			begin M: paused
			begin M: profiling
			end M:   profiling
			end M:   paused`},
		{"pause=on:M;on:N,resume=on:O", `
			begin M: profiling
			begin N: profiling
			end N:   paused
			begin O: profiling
			end M:   paused`},

		// A trigger that cannot change the state does nothing.
		{"start=on:M,resume=on:N,pause=on:O,stop=on:O", `
			begin N: configured
			begin O: configured
			end O:   configured
			begin M: profiling
			begin N: profiling`},
		{"stop=on:M", `
			begin M: profiling
			set paused: paused
			end M:   stopped
			begin M: stopped`},

		// Triggers on time.
		{"start=after:1s,stop=after:5s", `
			999ms:  configured
			1ms:    profiling
			4999ms: profiling
			1ms:    stopped`},
		{"pause=after:2s,resume=after:3s", `
			1999ms: profiling
			1ms:    paused
			2999ms: paused
			1ms:    profiling
			2s:     paused`},
		{"start=on:M,stop=after:4s", `
			10s:     configured
			begin M: profiling
			1s:      profiling
			Pause:   paused
			1s:      paused
			Resume:  profiling
			1999ms:  profiling
			1ms:     stopped`},
		{"pause=after:8ms,resume=on:N", `
			8ms:           paused
			set profiling: profiling
			7999us:        profiling
			1us:           paused
			begin N:       profiling
			8ms:           paused`},
		{"pause=after:50us", `
			50us:          paused
			set profiling: profiling
			199us:         profiling
			1us:           paused`},
		{"pause=after:1s,stop=on:M", `
			1s:            paused
			10s:           paused
			set profiling: profiling
			500ms:         profiling
			set paused:    paused
			set profiling: profiling
			999ms:         profiling
			126ms:         paused`},

		// Triggers and calls: a trigger that resumes overrules Pause.
		{"pause=on:M,resume=on:N", `
			Pause:      paused
			begin N:    profiling
			set paused: paused
			begin N:    profiling
			begin M:    profiling
			end M:      paused
			Resume:     profiling`},

		// The windows of every=.
		{"every=10ms:1ms", `
			0s:    profiling
			999us: profiling
			1us:   paused
			8999us: paused
			1us:   profiling
			1ms:   paused
			1h:    paused
			8ms:   paused
			1ms:   profiling`},
		{"start=on:M,every=10ms:1ms", `
			5ms:     configured
			begin M: configured
			5ms:     profiling
			1ms:     paused`},
		{"start=on:M,every=10ms:1ms", `
			begin M: configured
			0s:      profiling`},
		{"start=on:M,every=10ms:1ms", `
			10ms:    configured
			begin M: profiling
			1ms:     paused`},
		{"start=after:15ms,stop=after:25ms,every=10ms:1ms", `
			19999us: configured
			1us:     profiling
			1ms:     paused
			9ms:     profiling
			15ms:    stopped
			10ms:    stopped`},
		{"every=10ms:1ms,stop=on:M", `
			2ms:     paused
			begin M: paused
			end M:   stopped`},

		// Triggers in and between windows.
		{"every=10ms:1ms,pause=on:M,resume=on:N", `
			0s:      profiling
			begin M: profiling
			end M:   paused
			10ms:    paused
			begin N: profiling
			1ms:     paused
			begin M: paused
			end M:   paused
			9ms:     paused
			5ms:     paused
			begin N: paused
			5ms:     profiling`},

		// Calls in and between windows.
		{"every=10ms:1ms,pause=on:M", `
			0s:      profiling
			begin M: profiling
			end M:   paused
			Resume:  profiling
			begin M: profiling
			Pause:   paused
			end M:   paused
			Resume:  profiling
			1ms:     paused`},
		{"every=10ms:1ms", `
			0s:     profiling
			Resume: profiling
			Pause:  paused
			10ms:   paused
			Resume: profiling
			1ms:    paused
			Pause:  paused
			9ms:    paused
			5ms:    paused
			Resume: paused
			5ms:    profiling`},
		{"start=on:M,every=10ms:1ms", `
			Resume:  configured
			10ms:    configured
			begin M: profiling
			Pause:   paused`},
		{"start=on:M,every=10ms:1ms", `
			2ms:     configured
			begin M: configured
			Pause:   configured
			8ms:     configured
			Resume:  profiling`},

		// Other processes: a pause during a window pauses the run until a trigger, a call or a
		// process resumes; a resume between windows lets the windows continue.
		{"every=10ms:1ms", `
			0s:            profiling
			set paused:    paused
			10ms:          paused
			10ms:          paused
			set profiling: profiling
			1ms:           paused
			9ms:           profiling`},
		{"every=100ms:1ms", `
			2ms:           paused
			set profiling: profiling
			10ms:          paused
			88ms:          profiling
			1ms:           paused`},
		{"every=10ms:1ms,resume=on:N", `
			0s:         profiling
			set paused: paused
			10ms:       paused
			begin N:    profiling
			Pause:      paused
			begin N:    profiling
			1ms:        paused`},
	} {
		r := newRun(t, tt.spec)
		for _, line := range strings.Split(strings.TrimSpace(tt.events), "\n") {
			what, want, _ := strings.Cut(strings.TrimSpace(line), ":")
			want = strings.TrimSpace(want)
			r.event(what)
			if got := states[r.state]; got != want {
				t.Errorf("%s:%s\nat %v the state after %q is %s, want %s", tt.spec, tt.events, time.Duration(r.now-begun), what, got, want)
				break
			}
		}
	}
}

// A run collects if, and only if, all sources enable collection. If other processes change the
// state meanwhile, it does not collect against a request, and their pausing or resuming counts as a
// source, too.
func TestMachine(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	requests := []Request{{sourceTriggers, false}, {sourceResume, true}, {sourceCalls, false}, {sourcePeriod, false}, {sourcePeriod, true}}
	for range 10_000 {
		r := newRun(t, []string{"", "every=10ms:1ms", "start=on:M", "start=on:M,every=10ms:1ms"}[random.IntN(4)])
		outside := random.IntN(2) == 0
		for range 10 {
			request := requests[random.IntN(len(requests))]
			before := *r
			for outside && random.IntN(3) == 0 { // the state has changed before the change is made
				r.machine.Next(request, r.state)
				r.change([]uint64{layout.StateProfiling, layout.StatePaused}[random.IntN(2)])
			}
			r.apply(request)
			collects, all := r.state == layout.StateProfiling, r.machine.enabled == sourceAll
			switch {
			case all && !collects, collects && !outside && !all, collects && !request.on, collects && r.machine.enabled&sourceResume != sourceResume:
				t.Fatalf("%+v of a run that was %s with sources %b: it is %s with sources %b", request, states[before.state], before.machine.enabled, states[r.state], r.machine.enabled)
			}
		}
	}
}

// In a run with every= a call changes something unless the state is already as asked, or the run
// has not begun.
func TestCall(t *testing.T) {
	for _, tt := range []struct {
		spec, events  string
		resume, pause bool // whether a call would change something
	}{
		{"every=10ms:1ms", "", false, true},
		{"every=10ms:1ms", "2ms", false, true},
		{"every=10ms:1ms", "2ms,Pause", true, false},
		{"every=10ms:1ms", "0s,set paused", true, false},
		{"every=10ms:1ms", "0s,Pause,set profiling", false, true},
		{"every=10ms:1ms,start=on:M", "2ms", false, false},
		{"every=10ms:1ms,start=on:M", "2ms,begin M", false, true},
		{"every=10ms:1ms,start=on:M", "2ms,begin M,Pause", true, false},
		{"every=10ms:1ms", "set stopped", false, false},
	} {
		r := newRun(t, tt.spec)
		for _, event := range strings.Split(tt.events, ",") {
			if event != "" {
				r.event(event)
			}
		}
		_, resume := r.machine.Call(true, r.state)
		_, pause := r.machine.Call(false, r.state)
		if resume != tt.resume || pause != tt.pause {
			t.Errorf("%s after %q: Resume changes something: %t, Pause: %t", tt.spec, tt.events, resume, pause)
		}
	}
}

// No request leads out of a state after the run, or before it.
func TestFinal(t *testing.T) {
	for _, state := range []uint64{layout.StateStopped, layout.StateUnconfigured} {
		var m Machine
		for _, on := range []bool{true, false} {
			if _, ok := m.Call(on, state); ok {
				t.Errorf("a call changes a run that is %s", states[state])
			}
			if to := m.Next(Request{sourceAll, on}, state); to != state {
				t.Errorf("%s becomes %s", states[state], states[to])
			}
		}
	}
}
