package report

import (
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// A frame is a marker that was open, at a line of the source: of a loop or branch in
// it, if that is what was opened next, else, as calls have no marker, its own.
type frame struct {
	marker *profile.Marker
	line   int
}

// A part is what passages of a marker have in common that were made in the same
// frames, the marker's own first. The parts of a marker add up to its count and its
// self time.
type part struct {
	frames        []frame
	count, selfNS uint64
}

// stacks knows which scopes passages were made in, as far as that is sure:
//
//   - the caller, where callers were recorded;
//   - around a marker all of whose passages had the same caller, that one;
//   - around a loop, a branch or a region the function that it stands in.
//
// So a stack may lack frames at its outer end, and in between those of loops and
// branches, but has none that was not there.
type stacks struct {
	byID      map[registry.ID]*profile.Marker
	functions map[function]*profile.Marker // nil: several have this name
	around    map[*profile.Marker][]frame
}

// function is how a function is found that a marker stands in.
type function struct{ name, file string }

// mostFrames is the depth of a stack that is enough for anyone who looks at it.
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

// of returns the parts of a marker, one at least, which come in the order of its
// callers. What the figures by caller exceed the marker's own by is cut off: estimates
// are rounded one by one, and a file may be read while it is written.
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

// caller is the marker that a caller is. Of one that the profile does not have the
// name is known.
func (s *stacks) caller(c *profile.Caller) *profile.Marker {
	m := s.byID[c.ID]
	if m == nil {
		m = &profile.Marker{ID: c.ID, Name: c.Name}
		s.byID[c.ID] = m
	}
	return m
}

// outside returns the frames that were around all passages of a marker, the innermost
// first.
func (s *stacks) outside(m *profile.Marker) []frame {
	if have, ok := s.around[m]; ok {
		return have
	}
	s.around[m] = nil // ends what goes round in a circle, which only damaged data do
	list := s.standsIn(m)
	if from := s.soleCaller(m); from != nil {
		list = append([]frame{{from, leftAt(from, m)}}, s.outside(from)...)
	}
	list = list[:min(len(list), mostFrames)]
	s.around[m] = list
	return list
}

// soleCaller is the one caller that a marker had in all its passages, nil if it had
// others or that is not sure.
func (s *stacks) soleCaller(m *profile.Marker) *profile.Marker {
	if len(m.Callers) != 1 || m.Callers[0].ID == 0 || m.Callers[0].Count != m.Count || m.Open > 0 || m.Sampled() {
		return nil
	}
	return s.caller(&m.Callers[0])
}

// standsIn returns the frame of the function that a loop, branch or region stands in,
// and those around it.
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

// functionOf is the function whose code a marker is in: the name up to the last colon.
func functionOf(m *profile.Marker) function {
	name := m.Name
	if i := strings.LastIndexByte(name, ':'); i >= 0 && m.Kind != "func" {
		name = name[:i]
	}
	return function{name, m.File}
}

// leftAt is the line of the source at which to was opened within from.
func leftAt(from, to *profile.Marker) int {
	if to.Kind != "func" && functionOf(from) == functionOf(to) {
		return to.Line
	}
	return from.Line
}
