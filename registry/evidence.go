package registry

// exact pairs the points whose key is in the registry with their entries. Among entries of equal
// keys, the body decides first, so that a marker keeps its ID if an equal one is inserted before
// it; then the ordinal, then the order.
func (m *match) exact() {
	m.equals(false, nil, sameBody|sameOrdinal, sameBody, sameOrdinal, 0)
}

// revive pairs points with retired entries of the same key.
func (m *match) revive(need likeness) { m.equals(true, nil, need) }

// likeness is the set of properties that must be equal besides the key.
type likeness int

const (
	sameBody likeness = 1 << iota
	sameOrdinal
)

// equals pairs points without an entry with free entries of the same key, either live or retired
// ones. It goes through rounds in order; within a round, points and entries are paired in order.
// moved maps the functions of entries to their present names.
func (m *match) equals(retired bool, moved map[function]function, rounds ...likeness) {
	type group struct{ points, entries []int }
	index := make(map[key]int)
	var groups []group
	for e := range m.entries {
		entry := &m.entries[e]
		if entry.Retired != retired || !m.free(e) {
			continue
		}
		k := entryKey(entry)
		if moved != nil {
			to, ok := moved[function{k.pkg, k.fn}]
			if !ok {
				continue
			}
			k.pkg, k.fn = to.pkg, to.name
		}
		n, ok := index[k]
		if !ok {
			n = len(groups)
			index[k] = n
			groups = append(groups, group{})
		}
		groups[n].entries = append(groups[n].entries, e)
	}
	if len(groups) == 0 {
		return
	}
	for i := range m.points {
		if s := &m.points[i]; s.entry < 0 {
			if n, ok := index[s.key()]; ok {
				groups[n].points = append(groups[n].points, i)
			}
		}
	}
	for _, g := range groups {
		if len(g.points) == 1 && len(g.entries) == 1 && m.alike(g.points[0], g.entries[0], rounds) {
			continue
		}
		for _, need := range rounds {
			if len(g.points) == 0 {
				break
			}
			g.points = m.pair(g.points, g.entries, need)
		}
	}
}

// alike pairs one point with one entry if one of the rounds allows it; most groups have one of
// each.
func (m *match) alike(i, e int, rounds []likeness) bool {
	s, entry := &m.points[i], &m.entries[e]
	for _, need := range rounds {
		if (need&sameBody == 0 || entry.Body == s.Body) && (need&sameOrdinal == 0 || entry.Ordinal == s.ordinal) && m.free(e) {
			m.take(i, e)
			return true
		}
	}
	return false
}

// pair pairs points with free entries in order, and returns the remaining points.
func (m *match) pair(points, entries []int, need likeness) []int {
	type likes struct {
		body    uint64
		ordinal int
	}
	of := func(body uint64, ordinal int) (l likes) {
		if need&sameBody != 0 {
			l.body = body
		}
		if need&sameOrdinal != 0 {
			l.ordinal = ordinal
		}
		return l
	}
	queues := make(map[likes][]int, 1)
	for _, e := range entries {
		if m.free(e) {
			l := of(m.entries[e].Body, m.entries[e].Ordinal)
			queues[l] = append(queues[l], e)
		}
	}
	var left []int
	for _, i := range points {
		l := of(m.points[i].Body, m.points[i].ordinal)
		queue := queues[l]
		for len(queue) > 0 && !m.free(queue[0]) { // skip other lines of a taken ID
			queue = queue[1:]
		}
		if len(queue) > 0 {
			m.take(i, queue[0])
			queue = queue[1:]
		} else {
			left = append(left, i)
		}
		queues[l] = queue
	}
	return left
}

// trait is evidence that a point continues a vanished entry. Unused fields are empty.
type trait struct {
	pkg, fn, kind, given, header string
	body                         uint64
	oneSided                     bool // the function exists only before or only now; not evidence by itself
}

// traits are the kinds of evidence in decreasing order of strength. A point and an entry are paired
// if their evidence is equal and no other unpaired point or entry has the same. Each trait is
// compared separately.
var traits = []func(t trait) (trait, bool){
	// The name in the directive, which is the same for the then and else clauses of an if.
	func(t trait) (trait, bool) {
		return trait{pkg: t.pkg, kind: class(t.kind, t.header), given: t.given}, t.given != ""
	},
	// Same function and header, another given name or none.
	func(t trait) (trait, bool) {
		return trait{pkg: t.pkg, fn: t.fn, kind: t.kind, header: t.header, body: t.body}, t.body != 0
	},
	func(t trait) (trait, bool) {
		return trait{pkg: t.pkg, fn: t.fn, kind: t.kind, header: t.header}, true
	},
	// Another header in the same function.
	func(t trait) (trait, bool) {
		return trait{pkg: t.pkg, fn: t.fn, kind: t.kind, body: t.body}, t.body != 0
	},
	// The same function in another package.
	func(t trait) (trait, bool) {
		return trait{fn: t.fn, kind: t.kind, given: t.given, header: t.header, body: t.body}, t.body != 0
	},
	// Another function of the package: the code moved, or the function was renamed. If the header
	// differs, too, only renaming counts, because bodies such as "return nil" are everywhere.
	func(t trait) (trait, bool) {
		return trait{pkg: t.pkg, kind: t.kind, given: t.given, header: t.header, body: t.body}, t.body != 0
	},
	func(t trait) (trait, bool) {
		return trait{pkg: t.pkg, kind: t.kind, body: t.body}, t.body != 0 && (t.oneSided || t.kind == "func")
	},
	// Another function in another package.
	func(t trait) (trait, bool) {
		return trait{kind: t.kind, given: t.given, header: t.header, body: t.body}, t.body != 0
	},
	func(t trait) (trait, bool) {
		return trait{kind: t.kind, body: t.body}, t.body != 0 && (t.oneSided || t.kind == "func")
	},
}

// evidence goes through the traits. A function that turns out to be renamed is used at once: its
// other markers are first searched in the renamed function.
func (m *match) evidence() {
	before, now := map[function]bool{}, map[function]bool{}
	for e := range m.entries {
		if entry := &m.entries[e]; m.inScope[e] && !entry.Retired {
			before[function{entry.Package, entry.Func}] = true
		}
	}
	for i := range m.points {
		now[m.points[i].in()] = true
	}
	for _, of := range traits {
		fresh, vanished := m.fresh(), m.vanished()
		if len(fresh) == 0 || len(vanished) == 0 {
			return
		}
		if m.alone(fresh, vanished, before, now, of) > 0 {
			m.follow()
		}
	}
}

// alone pairs points and entries that are unique in their evidence, and returns the number of
// pairs. before and now are the functions of all entries and points.
func (m *match) alone(fresh, vanished []int, before, now map[function]bool, of func(trait) (trait, bool)) int {
	type candidates struct{ point, entry int } // -1 if none, -2 if several
	found := make(map[trait]candidates, len(vanished))
	for _, e := range vanished {
		entry := &m.entries[e]
		t, ok := of(trait{entry.Package, entry.Func, entry.Kind, entry.Given, entry.Header, entry.Body, !now[function{entry.Package, entry.Func}]})
		if !ok {
			continue
		}
		switch c, ok := found[t]; {
		case !ok:
			found[t] = candidates{-1, e}
		case c.entry >= 0 && m.serial[c.entry] != m.serial[e]:
			found[t] = candidates{-1, -2}
		}
	}
	order := make([]trait, 0, len(found))
	for _, i := range fresh {
		s := &m.points[i]
		t, ok := of(trait{s.Package, s.Func, s.Kind, s.Given, s.header, s.Body, !before[s.in()]})
		if !ok {
			continue
		}
		c, ok := found[t]
		switch {
		case !ok || c.entry < 0 || c.point == -2:
			continue
		case c.point == -1:
			c.point = i
			order = append(order, t)
		default:
			c.point = -2
		}
		found[t] = c
	}
	pairs := 0
	for _, t := range order {
		// Two lines of one ID may be unique with different points.
		if c := found[t]; c.point >= 0 && m.free(c.entry) {
			m.take(c.point, c.entry)
			pairs++
		}
	}
	return pairs
}

// follow finds functions that were renamed: they vanished, and all of their markers found so far
// are in the same new function. It pairs the remaining markers that the two functions have in
// common.
func (m *match) follow() {
	standing := map[function]bool{} // functions that still have their own markers
	target := map[function]function{}
	source := map[function]function{}
	apart := map[function]bool{}
	for i := range m.points {
		s := &m.points[i]
		if s.entry < 0 {
			continue
		}
		e := &m.entries[s.entry]
		from, to := function{e.Package, e.Func}, s.in()
		if from == to {
			standing[from] = true
			continue
		}
		if t, ok := target[from]; ok && t != to {
			apart[from] = true
		}
		if f, ok := source[to]; ok && f != from {
			apart[f], apart[from] = true, true
		}
		target[from], source[to] = to, from
	}
	moved := map[function]function{}
	for from, to := range target {
		if !apart[from] && !standing[from] && !standing[to] {
			moved[from] = to
		}
	}
	if len(moved) == 0 {
		return
	}
	m.moved = moved
	m.equals(false, moved, sameBody|sameOrdinal, sameBody, sameOrdinal)
}
