package registry

import "strings"

// Baseline knows the markers of an earlier state of the source, and tells whether a marker with the
// same ID is certainly the same.
type Baseline struct {
	entries map[ID]*Entry
	equals
}

// equals counts markers with common properties.
type equals struct {
	names   map[key]int  // by name in the directive: see named
	keys    map[key]int  // by key, including the name in the directive
	headers map[key]int  // by key without the name
	bodies  map[text]int // by key without the name, and body
}

type text struct {
	key
	body uint64
}

func newEquals() equals { return equals{map[key]int{}, map[key]int{}, map[key]int{}, map[text]int{}} }

// named reduces a key to the properties shared by all clauses of a statement with a name in the
// directive.
func (k key) named() key { return key{pkg: k.pkg, kind: class(k.kind, k.header), given: k.given} }

func (q *equals) add(k key, body uint64) {
	q.names[k.named()]++
	q.keys[k]++
	k.given = ""
	q.headers[k]++
	q.bodies[text{k, body}]++
}

// Baseline returns the live markers of r, for comparison with a later state.
func (r *Registry) Baseline() *Baseline {
	b := &Baseline{entries: make(map[ID]*Entry, len(r.entries)), equals: newEquals()}
	for i := range r.entries {
		if e := &r.entries[i]; !e.Retired {
			b.entries[e.ID] = e
			b.add(entryKey(e), e.Body)
		}
	}
	return b
}

// Guesses reports for each point, whose ID is the element of ids with the same index, whether it is
// only a guess that it is the same marker as the earlier one with that ID. points must be all
// points of their packages. It is certain if a declared function has kept its name, or another
// marker its name in the directive (unless clauses of a statement share it). It is also certain if
// a loop or branch of the same function has the same header, and
//
//   - it is and was the only one with that header,
//   - or the number of these has not changed, and neither has its position among them,
//   - or the number of these with its body has not changed.
//
// Everything else may have another explanation: a renamed function, an edited condition, an
// additional "if err != nil" before others. Markers with a new ID are not guesses.
func (b *Baseline) Guesses(points []Point, ids []ID) []bool {
	m := newMatch(new(Registry), nil, points)
	now := newEquals()
	for i := range m.points {
		s := &m.points[i]
		now.add(s.key(), s.Body)
	}
	guesses := make([]bool, len(points))
	for i, at := range m.places {
		if e := b.entries[ids[at]]; e != nil {
			guesses[at] = !b.certain(e, &m.points[i], &now)
		}
	}
	return guesses
}

// certain reports whether s is certainly the same marker as e. now counts all points, including s.
func (b *Baseline) certain(e *Entry, s *site, now *equals) bool {
	before, after := entryKey(e), s.key()
	same := before == after
	switch {
	case e.Kind != s.Kind || e.Package != s.Package:
		return false
	case s.Given != "" && before.named() == after.named() && b.names[before.named()] == 1 && now.names[after.named()] == 1:
		return true
	case s.Kind == "func" && e.Func == s.Func && !strings.Contains(strings.TrimPrefix(s.Name, s.Package), ":"):
		return true
	case same && e.Ordinal == s.ordinal && b.keys[before] == now.keys[after]:
		return true
	}
	before.given, after.given = "", ""
	if before != after {
		return false
	}
	t := text{after, s.Body}
	return b.headers[before] == 1 && now.headers[after] == 1 ||
		e.Body == s.Body && e.Body != 0 && b.bodies[t] == now.bodies[t]
}
