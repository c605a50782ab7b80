package registry

import "strings"

// Earlier knows the markers of an earlier state of the source, and tells how sure it is that a
// marker that has the ID of one of them is the same.
type Earlier struct {
	entries map[ID]*Entry
	equals
}

// equals counts markers that have something in common.
type equals struct {
	names   map[key]int  // only those: see named
	keys    map[key]int  // the name in the directive, too
	headers map[key]int  // whatever that is
	bodies  map[text]int // and the same body
}

type text struct {
	key
	body uint64
}

func newEquals() equals { return equals{map[key]int{}, map[key]int{}, map[key]int{}, map[text]int{}} }

// named is what is left of a key of the name in the directive, which all clauses of one statement have.
func (k key) named() key { return key{pkg: k.pkg, kind: class(k.kind, k.header), given: k.given} }

func (q *equals) add(k key, body uint64) {
	q.names[k.named()]++
	q.keys[k]++
	k.given = ""
	q.headers[k]++
	q.bodies[text{k, body}]++
}

// Earlier returns what is known of the live markers of r.
func (r *Registry) Earlier() *Earlier {
	l := &Earlier{entries: make(map[ID]*Entry, len(r.entries)), equals: newEquals()}
	for i := range r.entries {
		if e := &r.entries[i]; !e.Retired {
			l.entries[e.ID] = e
			l.add(entryKey(e), e.Body)
		}
	}
	return l
}

// Guesses tells of points, all those of their packages, whose IDs are ids, which are what the
// earlier marker of the same ID was only by a guess. It is none that a declared function has kept
// its name, or another marker the name in its directive, which clauses of one switch share; nor
// that a loop or branch of the same function has the same header, if
//
//   - it is and was the only one with that,
//   - or as many have that header as before, and it has the same place among them,
//   - or as many have that header and its body as before.
//
// Of all else there may be a better account: a function that was renamed, a condition that was
// edited, one more "if err != nil" in front of others. Markers that no earlier one has the ID of
// are no guesses.
func (l *Earlier) Guesses(points []Point, ids []ID) []bool {
	m := newMatch(new(Registry), nil, points)
	now := newEquals()
	for i := range m.points {
		s := &m.points[i]
		now.add(s.key(), s.Body)
	}
	guesses := make([]bool, len(points))
	for i, at := range m.places {
		if e := l.entries[ids[at]]; e != nil {
			guesses[at] = !l.certain(e, &m.points[i], &now)
		}
	}
	return guesses
}

// certain reports whether s is surely what e was. now counts the points among which s is.
func (l *Earlier) certain(e *Entry, s *site, now *equals) bool {
	before, after := entryKey(e), s.key()
	same := before == after
	switch {
	case e.Kind != s.Kind || e.Package != s.Package:
		return false
	case s.Given != "" && before.named() == after.named() && l.names[before.named()] == 1 && now.names[after.named()] == 1:
		return true
	case s.Kind == "func" && e.Func == s.Func && !strings.Contains(strings.TrimPrefix(s.Name, s.Package), ":"):
		return true
	case same && e.Ordinal == s.ordinal && l.keys[before] == now.keys[after]:
		return true
	}
	before.given, after.given = "", ""
	if before != after {
		return false
	}
	t := text{after, s.Body}
	return l.headers[before] == 1 && now.headers[after] == 1 ||
		e.Body == s.Body && e.Body != 0 && l.bodies[t] == now.bodies[t]
}
