package trigger

import (
	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/layout"
)

// A Machine decides the next state of a run. Collection is on while all sources enable it:
// triggers, every=, and calls of Pause and Resume; a state change by another process counts as a
// call. A trigger that starts or resumes overrules calls.
//
// The state is not part of the Machine, since other processes change it at any time.
type Machine struct {
	enabled  uint32 // source… bits of the sources that enable collection
	periodic bool   // the run has every=
}

const (
	sourceTriggers = 1 << iota
	sourcePeriod
	sourceCalls
	sourceAll = sourceTriggers | sourcePeriod | sourceCalls

	sourceResume = sourceTriggers | sourceCalls
)

// A Request is what an event asks for: that some sources enable collection, or that they disable
// it.
type Request struct {
	sources uint32
	on      bool
}

// NewMachine returns the machine of a run that begins.
//
//go:norace
func NewMachine(c *config.Config) Machine {
	m := Machine{sourceAll, c.Period > 0}
	if m.periodic {
		m.enabled &^= sourcePeriod
	}
	for _, t := range c.Triggers {
		if t.Key == "start" {
			m.enabled &^= sourceTriggers
		}
	}
	return m
}

// Trigger returns the request of a trigger that acts in a state; ok is false if it cannot change
// anything. It is not for a trigger that stops, which leads to layout.StateStopped from each state
// in which it applies.
//
//go:norace
func (m *Machine) Trigger(t *Trigger, state uint64) (r Request, ok bool) {
	r = Request{sourceTriggers, t.Opens()}
	if r.on {
		r.sources = sourceResume
	}
	enabled := m.enabled&r.sources == r.sources
	return r, t.Applies(state) || m.periodic && enabled != r.on
}

// Call returns the request of a call of Resume, or of Pause, in a run with every=, also between two
// windows; ok is false if the call changes nothing.
//
//go:norace
func (m *Machine) Call(resume bool, state uint64) (r Request, ok bool) {
	m.observe(state)
	if (m.enabled&sourceCalls != 0) == resume {
		return r, false
	}
	r = Request{sourceCalls, resume}
	if resume {
		r.sources = sourceResume
	}
	return r, state == layout.StateProfiling || state == layout.StatePaused ||
		state == layout.StateConfigured && m.enabled&sourceTriggers != 0
}

// Next returns the state that a request leads to, which may be the same. The caller then makes the
// change, if the state is unchanged, and calls Done, or else calls Next with the new state.
//
//go:norace
func (m *Machine) Next(r Request, state uint64) (to uint64) {
	m.observe(state)
	switch {
	case !r.on && state == layout.StateProfiling:
		return layout.StatePaused
	case r.on && m.enabled|r.sources == sourceAll && (state == layout.StateConfigured || state == layout.StatePaused):
		return layout.StateProfiling
	}
	return state
}

// Done records that the run is in the state that Next returned for a request.
//
//go:norace
func (m *Machine) Done(r Request) {
	if r.on {
		m.enabled |= r.sources
	} else {
		m.enabled &^= r.sources
	}
}

// observe makes the sources agree with a state that another process, Start or Resume has set.
//
//go:norace
func (m *Machine) observe(state uint64) {
	switch {
	case state == layout.StateProfiling:
		m.enabled |= sourceResume
	case state == layout.StatePaused && m.enabled == sourceAll:
		m.enabled &^= sourceCalls
	}
}
