package report

import (
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// A frame is an open marker and a line of its source: the line of the loop or branch in it that was
// opened next, or, since calls have no marker, the marker's own line.
type frame struct {
	marker *profile.Marker
	line   int
}

// A part is the count and self time of a marker in the same frames, innermost first. The parts of a
// marker add up to its count and its self time.
type part struct {
	frames        []frame
	count, selfNS uint64
}

// stacks determines the stacks in which scopes ran, as far as they are certain:
//
//   - the caller, if callers were recorded;
//   - the caller of a marker that always had the same caller;
//   - the function that contains a loop, branch or region.
//
// So a stack may lack outer frames, and frames of loops and branches in between, but it has no
// wrong frames.
type stacks struct {
	byID      map[registry.ID]*profile.Marker
	functions map[function]*profile.Marker // nil if several have this name
	around    map[*profile.Marker][]frame
}

// function identifies the function that contains a marker.
type function struct{ name, file string }

// mostFrames is the maximum depth of a stack.
const mostFrames = 128

func newStacks(p *profile.Profile) *stacks {
	s := &stacks{
		byID:      make(map[registry.ID]*profile.Marker, len(p.Markers)),
		functions: map[function]*profile.Marker{},
		around:    map[*profile.Marker][]frame{},
	}
	for i := range p.Markers {
		m := &p.Markers[i]
		s.byID[m.ID] = m
		if m.Kind == "func" {
			f := function{m.Name, m.File}
			if _, twice := s.functions[f]; twice {
				m = nil
			}
			s.functions[f] = m
		}
	}
	return s
}

// of returns the parts of a marker, at least one, in the order of its callers. If the values by
// caller exceed the marker's own, the excess is dropped: estimates are rounded separately, and a
// file may be read while it is being written.
func (s *stacks) of(m *profile.Marker) []part {
	own := frame{m, m.Line}
	rest := part{append([]frame{own}, s.standsIn(m)...), m.Count, m.SelfNS}
	var parts []part
	for i := range m.Callers {
		c := &m.Callers[i]
		p := part{count: min(c.Count, rest.count), selfNS: min(c.SelfNS, rest.selfNS)}
		if c.ID == 0 || p.count == 0 && p.selfNS == 0 {
			continue
		}
		rest.count -= p.count
		rest.selfNS -= p.selfNS
		from := s.caller(c)
		p.frames = append([]frame{own, {from, leftAt(from, m)}}, s.outside(from)...)
		parts = append(parts, p)
	}
	if len(parts) == 0 || rest.count > 0 || rest.selfNS > 0 {
		parts = append(parts, rest)
	}
	return parts
}

// caller returns the marker of a caller. If the profile does not have it, the marker has only the
// name.
func (s *stacks) caller(c *profile.Caller) *profile.Marker {
	m := s.byID[c.ID]
	if m == nil {
		m = &profile.Marker{ID: c.ID, Name: c.Name}
		s.byID[c.ID] = m
	}
	return m
}

// outside returns the frames that were around all scopes of a marker, innermost first.
func (s *stacks) outside(m *profile.Marker) []frame {
	if have, ok := s.around[m]; ok {
		return have
	}
	s.around[m] = nil // breaks cycles, which occur only in damaged data
	list := s.standsIn(m)
	if from := s.soleCaller(m); from != nil {
		list = append([]frame{{from, leftAt(from, m)}}, s.outside(from)...)
	}
	list = list[:min(len(list), mostFrames)]
	s.around[m] = list
	return list
}

// soleCaller returns the caller of all scopes of a marker, or nil if there were several or it is
// uncertain.
func (s *stacks) soleCaller(m *profile.Marker) *profile.Marker {
	if len(m.Callers) != 1 || m.Callers[0].ID == 0 || m.Callers[0].Count != m.Count || m.Open > 0 || m.Sampled() {
		return nil
	}
	return s.caller(&m.Callers[0])
}

// standsIn returns the frame of the function that contains a loop, branch or region, and the frames
// around it.
func (s *stacks) standsIn(m *profile.Marker) []frame {
	if m.Kind == "func" {
		return nil
	}
	f := s.functions[functionOf(m)]
	if f == nil {
		return nil
	}
	return append([]frame{{f, m.Line}}, s.outside(f)...)
}

// functionOf returns the function that contains a marker: its name up to the last colon.
func functionOf(m *profile.Marker) function {
	name := m.Name
	if i := strings.LastIndexByte(name, ':'); i >= 0 && m.Kind != "func" {
		name = name[:i]
	}
	return function{name, m.File}
}

// leftAt returns the source line of from at which to was opened.
func leftAt(from, to *profile.Marker) int {
	if to.Kind != "func" && functionOf(from) == functionOf(to) {
		return to.Line
	}
	return from.Line
}
