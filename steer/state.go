package steer

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/markgen/markgen/runtime/layout"
)

// State is a state of a run, with the values of the data file.
type State uint64

// The states.
const (
	Unconfigured State = layout.StateUnconfigured
	Configured   State = layout.StateConfigured
	Profiling    State = layout.StateProfiling
	Paused       State = layout.StatePaused
	Stopped      State = layout.StateStopped
)

var stateNames = []string{"unconfigured", "configured", "profiling", "paused", "stopped"}

func (s State) String() string {
	if s < State(len(stateNames)) {
		return stateNames[s]
	}
	return fmt.Sprintf("state %d", uint64(s))
}

// A transition changes the state of a run from one of several states to another.
type transition struct {
	verb string
	from []State
	to   State
}

// The transitions that users may request.
var transitions = []transition{
	{"start", []State{Configured}, Profiling},
	{"pause", []State{Profiling}, Paused},
	{"resume", []State{Paused}, Profiling},
	{"stop", []State{Profiling, Paused}, Stopped},
}

// Verbs returns the names of the transitions: "start", "pause" ….
func Verbs() []string {
	var verbs []string
	for _, t := range transitions {
		verbs = append(verbs, t.verb)
	}
	return verbs
}

// allowedIn returns the verbs that are allowed in a state.
func allowedIn(s State) []string {
	var verbs []string
	for _, t := range transitions {
		if slices.Contains(t.from, s) {
			verbs = append(verbs, t.verb)
		}
	}
	return verbs
}

// Do performs the transition with the name. It returns a *TransitionError if the state of the run
// does not allow it.
func (p *Process) Do(verb string) error {
	i := slices.IndexFunc(transitions, func(t transition) bool { return t.verb == verb })
	if i < 0 {
		return fmt.Errorf("%q changes no state; the words are %v", verb, Verbs())
	}
	return p.use(true, func() error { return p.move(transitions[i]) })
}

// Start starts collecting in a run that waits for it.
func (p *Process) Start() error { return p.Do("start") }

// Pause stops collecting new scopes, and lets open ones finish.
func (p *Process) Pause() error { return p.Do("pause") }

// Resume undoes Pause.
func (p *Process) Resume() error { return p.Do("resume") }

// Stop permanently stops collecting. The program goes on.
func (p *Process) Stop() error { return p.Do("stop") }

// State returns the state of the run.
func (p *Process) State() (State, error) {
	var s State
	err := p.use(false, func() error { s = p.state(); return nil })
	return s, err
}

func (p *Process) state() State { return State(p.h.word(layout.OffState).Load()) }

// move performs a transition. Even if it is refused, move completes a change that was interrupted
// because its process was killed.
func (p *Process) move(t transition) error {
	if !p.follows() {
		return fmt.Errorf("%s: %s: the words of its markers are not in the data file, and they would not follow; they are on Linux, with pages of 4 KB", p.name, t.verb)
	}
	for {
		old := p.state()
		if !slices.Contains(t.from, old) {
			if err := p.finish(); err != nil {
				return err
			}
			return fmt.Errorf("%s: %w", p.name, &TransitionError{t.verb, old, t.to, allowedIn(old), p.isPeriodic()})
		}
		now, err := p.ticks()
		if err != nil {
			return err
		}
		if !p.h.word(layout.OffState).CompareAndSwap(uint64(old), uint64(t.to)) {
			continue
		}
		since := p.h.word(layout.OffSince).Swap(now)
		if old == Profiling {
			if spent := int64(now - since); spent > 0 {
				p.h.word(layout.OffProfiled).Add(uint64(spent))
			}
			p.h.word(layout.OffClosed).Store(now)
		}
		p.logChange(now, old, t.to)
		return p.finish()
	}
}

// isPeriodic reports whether every= changes the state, too.
func (p *Process) isPeriodic() bool {
	return slices.ContainsFunc(strings.Split(p.h.text(layout.OffConfig, layout.SizeConfig), ","), func(setting string) bool {
		return strings.HasPrefix(strings.TrimSpace(setting), "every=")
	})
}

// finish applies the state to the words of all markers and to counters. Counters are in the
// program's own memory, and only the program can change them, at the next call of a marker. So
// finish waits for that before turning markers off.
func (p *Process) finish() error {
	counters := p.counters() > 0
	if s := p.state(); counters && (s == Paused || s == Stopped) && p.collects() {
		p.ask()
		p.awaitAck()
	}
	if err := p.apply(); err != nil {
		return err
	}
	if counters && p.state() == Profiling {
		p.ask()
	}
	return p.settle()
}

// collects reports whether the words of any marker still say that the state lets it collect.
func (p *Process) collects() bool {
	return p.anyWord(layout.MarkerOff, func(off uint32) bool { return off&layout.OffByState == 0 })
}

// follows reports whether markers follow a change of state from outside. Stopwatches always do:
// their calls check the state.
func (p *Process) follows() bool {
	some := false
	for _, u := range p.units.List {
		if len(u.Markers) > 0 && u.Path != "-" {
			if p.words[u] != nil {
				return true
			}
			some = true
		}
	}
	return !some
}

// logChange appends a change to the log, if there is room.
func (p *Process) logChange(now uint64, from, to State) {
	if p.log == nil {
		return
	}
	n := p.log.word(layout.OffLogLen).Add(1) - 1
	if n >= layout.LogRoom {
		return
	}
	line := layout.OffLogData + int(n)*layout.LogSize
	p.log.half(line + layout.LogFrom).Store(uint32(from))
	p.log.half(line + layout.LogTo).Store(uint32(to))
	p.log.half(line + layout.LogCause).Store(layout.LogOutside)
	p.log.word(line + layout.LogTick).Store(now) // last: makes the entry valid
}

// apply writes the state to the words of all markers, and repeats that until the state has not
// changed meanwhile.
func (p *Process) apply() error {
	for {
		s := p.state()
		for u, m := range p.words {
			for i := range u.Markers {
				off := m.half(i*layout.MarkerSize + layout.MarkerOff)
				kept := m.half(i*layout.MarkerSize+layout.MarkerIndex).Load()&layout.IndexKept != 0
				switch {
				case s == Profiling:
					clearOff(off, layout.OffByState)
				case s == Paused && !kept, s == Stopped:
					off.Or(layout.OffByState)
				}
			}
		}
		if p.state() == s {
			return nil
		}
		if err := p.follow(); err != nil {
			return err
		}
	}
}

// since returns the tick of the latest change of state.
func (p *Process) since() uint64 {
	if since := p.h.word(layout.OffSince).Load(); since != 0 {
		return since
	}
	return p.h.word(layout.OffStartTick).Load()
}

// ticks returns the current time of the program's clock. It uses the rate in the header, like all
// ns in the file; at the start both clocks were read together.
func (p *Process) ticks() (uint64, error) {
	mono, err := monoNS()
	if err != nil {
		return 0, err
	}
	ns := mono - p.h.word(layout.OffStartMono).Load()
	start := p.h.word(layout.OffStartTick).Load()
	if int64(ns) < 0 {
		return start, nil
	}
	hi, lo := bits.Mul64(ns, p.h.word(layout.OffHz).Load())
	if hi >= 1e9 {
		return start, nil
	}
	ticks, _ := bits.Div64(hi, lo, 1e9)
	return start + ticks, nil
}

// duration converts ticks to time; it returns 0 for a negative number.
func (p *Process) duration(ticks uint64) time.Duration {
	hz := p.h.word(layout.OffHz).Load()
	if int64(ticks) <= 0 || hz == 0 {
		return 0
	}
	hi, lo := bits.Mul64(ticks, 1e9)
	if hi >= hz {
		return 1<<63 - 1
	}
	ns, _ := bits.Div64(hi, lo, hz)
	return time.Duration(min(ns, 1<<63-1))
}
