package steer

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/markgen/markgen/runtime/layout"
)

// Status is the status of a run at some time.
type Status struct {
	App      string
	PID      uint64 // in the process's own PID namespace
	File     string // path of the data file
	Running  bool   // the process is running
	Start    time.Time
	Complete bool          // the run has ended normally; for a killed process, times end at its last update
	Elapsed  time.Duration // since the start, until now or the end; 0 if unknown
	Config   string        // value of MARKGEN
	Clock    string        // "tsc", "cntvct" or "mono"
	Hz       uint64        // clock ticks per second
	State    State
	Since    time.Duration // time in the current state; 0 if unknown
	Profiled time.Duration // total time in state profiling
	Triggers []string      // causes of state changes other than users: "event", "timer"
	Sample   uint64        // N if 1:N of the calls are collected; 1 for all
	Windows  uint64        // number of sampling windows that have ended
	Sampled  time.Duration // total duration of sampling windows

	Markers  int // markers with words of their own
	On       int // number of these that are collected in state profiling
	Off      int // number of these that are not: excluded, done, or throttled
	Visited  int // number of these with calls
	Beyond   int // markers whose words are not in the file, neither On nor Off: they can't be steered
	Counters int // markers that are only counted: they can't be turned off
}

// Status returns the status of the run.
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

// times sets the values that depend on the current time.
func (p *Process) times(s *Status) error {
	word := func(offset int) uint64 { return p.h.word(offset).Load() }
	s.Profiled = p.duration(word(layout.OffProfiled))
	start, end := word(layout.OffStartTick), word(layout.OffEndTick)
	s.Complete = end != 0
	switch {
	case s.Running: // the program may be running after the end of the run
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

// isOn reports whether a marker with these words is collected in state profiling, in an open
// window.
func isOn(index, off uint32) bool {
	const left = layout.IndexOffChoice | layout.IndexOffEnough | layout.IndexOffThrottled
	return index&left == 0 && off&(layout.OffByChoice|layout.OffByLimit) == 0
}

// On returns, by name, whether each marker with words is collected in state profiling.
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

// InMemory reports whether the data file has no name.
func (s Status) InMemory() bool { return strings.HasPrefix(s.File, "/memfd:") }

// counters returns the number of markers that are only counted.
func (p *Process) counters() (n int) {
	for _, u := range p.units.List {
		n += len(u.Counters)
	}
	return n
}
