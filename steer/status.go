package steer

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/markgen/markgen/runtime/layout"
)

// Status is how a run stands at a moment.
type Status struct {
	App      string
	PID      uint64 // as the process knows itself
	File     string // the data file
	Running  bool   // the process lives
	Start    time.Time
	Complete bool          // the run has ended in order; of a process that was killed times go to the last that it told of
	Elapsed  time.Duration // since the start, up to now or to the end; 0 if that is not known
	Config   string        // the value of MARKGEN
	Clock    string        // "tsc", "cntvct" or "mono"
	Hz       uint64        // ticks of the clock per second
	State    State
	Since    time.Duration // for how long it has been in this state; 0 if that is not known
	Profiled time.Duration // for how long it has been profiling, in all
	Triggers []string      // what may change the state besides people: "event", "timer"
	Sample   uint64        // one passage of so many is collected; 1: every one
	Windows  uint64        // windows of sampling that have ended
	Sampled  time.Duration // for how long they were open

	Markers  int // that have words of their own
	On       int // of these, those that are collected while the state is profiling
	Off      int // those that are not: left out, done, or throttled
	Visited  int // those that were passed
	Beyond   int // those whose words are not in the file, and out of reach; they count as neither
	Counters int // markers that are only counted; they always are
}

// Status tells how the run stands.
func (p *Process) Status() (Status, error) {
	var s Status
	err := p.use(false, func() error {
		var err error
		s, err = p.status()
		return err
	})
	return s, err
}

func (p *Process) status() (Status, error) {
	word := func(offset int) uint64 { return p.h.word(offset).Load() }
	s := Status{
		App:     p.h.text(layout.OffApp, layout.SizeApp),
		PID:     word(layout.OffPID),
		File:    p.file,
		Running: p.Running(),
		Start:   time.Unix(0, int64(min(word(layout.OffStartWall), math.MaxInt64))).UTC(),
		Config:  p.h.text(layout.OffConfig, layout.SizeConfig),
		Clock:   map[uint64]string{layout.ClockTSC: "tsc", layout.ClockCNTVCT: "cntvct", layout.ClockMono: "mono"}[word(layout.OffClock)],
		Hz:      word(layout.OffHz),
		State:   p.state(),
		Sample:  max(word(layout.OffSampleN), 1),
		Windows: word(layout.OffWindows),
		Sampled: p.duration(word(layout.OffWindowTicks)),
	}
	if err := p.times(&s); err != nil {
		return s, err
	}
	triggers := word(layout.OffTriggers)
	if triggers&layout.TriggerEvent != 0 {
		s.Triggers = append(s.Triggers, "event")
	}
	if triggers&layout.TriggerTimer != 0 {
		s.Triggers = append(s.Triggers, "timer")
	}
	s.Counters = p.counters()
	for _, u := range p.units.List {
		s.Markers += len(u.Markers)
		words := p.words[u]
		if words == nil {
			s.Beyond += len(u.Markers)
			continue
		}
		for i, m := range u.Markers {
			index := words.half(i*layout.MarkerSize + layout.MarkerIndex).Load()
			gate := words.half(m.Gate*layout.MarkerSize + layout.MarkerOff).Load()
			own := words.half(i*layout.MarkerSize + layout.MarkerOff).Load()
			if isOn(index, gate|own) {
				s.On++
			} else {
				s.Off++
			}
			if index&layout.IndexMask != 0 {
				s.Visited++
			}
		}
	}
	return s, nil
}

// times works out what depends on when it is asked for.
func (p *Process) times(s *Status) error {
	word := func(offset int) uint64 { return p.h.word(offset).Load() }
	s.Profiled = p.duration(word(layout.OffProfiled))
	start, end := word(layout.OffStartTick), word(layout.OffEndTick)
	s.Complete = end != 0
	switch {
	case s.Running: // the program may go on when the run is over
		now, err := p.ticks()
		if err != nil {
			return err
		}
		s.Elapsed, s.Since = p.duration(cmp.Or(end, now)-start), p.duration(now-p.since())
	case s.Complete:
		s.Elapsed, s.Since = p.duration(end-start), p.duration(end-p.since())
	default:
		if data, err := p.Profile(); err == nil {
			s.Elapsed = time.Duration(min(data.ElapsedNS, math.MaxInt64))
			s.Since = max(s.Elapsed-p.duration(p.since()-start), 0)
		}
	}
	if s.State == Profiling {
		s.Profiled += s.Since
	}
	return nil
}

// isOn says whether a marker with these words is collected while the state is
// profiling and no window is shut.
func isOn(index, off uint32) bool {
	const left = layout.IndexOffChoice | layout.IndexOffEnough | layout.IndexOffThrottled
	return index&left == 0 && off&(layout.OffByChoice|layout.OffByLimit) == 0
}

// On tells of each marker that has words whether it is collected while the state is
// profiling, by name.
func (p *Process) On() (map[string]bool, error) {
	on := map[string]bool{}
	err := p.use(false, func() error {
		for u, words := range p.words {
			for i, m := range u.Markers {
				index := words.half(i*layout.MarkerSize + layout.MarkerIndex).Load()
				gate := words.half(m.Gate*layout.MarkerSize + layout.MarkerOff).Load()
				own := words.half(i*layout.MarkerSize + layout.MarkerOff).Load()
				on[m.Name] = isOn(index, gate|own)
			}
		}
		return nil
	})
	return on, err
}

// InMemory tells whether the data file has no name.
func (s Status) InMemory() bool { return strings.HasPrefix(s.File, "/memfd:") }

// counters is how many markers are only counted.
func (p *Process) counters() (n int) {
	for _, u := range p.units.List {
		n += len(u.Counters)
	}
	return n
}
