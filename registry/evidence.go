package registry

// exact lets the points that are in the registry as they stand keep their entries. Among equals the body decides,
// so that a marker keeps its ID when an equal one is put before it; then the ordinal, then the order.
func (m *match) exact() {
	m.equals(false, nil, sameBody|sameOrdinal, sameBody, sameOrdinal, 0)
}

// revive gives points the retired entries of their own key.
func (m *match) revive(need likeness) { m.equals(true, nil, need) }

// likeness says what else equals have to share.
type likeness int

const (
	sameBody likeness = 1 << iota
	sameOrdinal
)

// equals pairs the points without an entry with the free entries of their own key that are live, or retired. rounds
// are gone through in order, and within a round points and entries are paired first to first. With moved, an entry's
// function is taken for the one it moved to.
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

// alike pairs one point with one entry if one of the rounds would: most groups are no larger.
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

// pair pairs points with free entries, first to first, and returns the points that are left.
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
		for len(queue) > 0 && !m.free(queue[0]) { // another line of an ID that is taken
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

// trait is one kind of evidence that a point is what a vanished entry was: fields that are not part of it are empty.
type trait struct {
	pkg, fn, kind, given, header string
	body                         uint64
	oneSided                     bool // the function is there only before or only now; no evidence itself
}

// traits are the kinds of evidence in order of strength. A pair is made where the evidence of a point and of an entry
// is equal and no other point or entry left has the same. Kinds never mix: they count different things.
var traits = []func(t trait) (trait, bool){
	// The name in the directive, which the then and the else of an if have both.
	func(t trait) (trait, bool) {
		return trait{pkg: t.pkg, kind: class(t.kind, t.header), given: t.given}, t.given != ""
	},
	// The same place, with another name or none.
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
	// Another function of the package: moved, or the function renamed. With another header, too, it
	// can only be renamed, for bodies such as "return nil" are everywhere.
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

// evidence goes through the kinds of evidence. What is found out about functions that were renamed is used as soon as
// it is known: markers of a renamed function are looked for in that function first.
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

// alone pairs points and entries that are the only ones with their evidence, and returns how many.
// before and now are the functions of all entries and points.
func (m *match) alone(fresh, vanished []int, before, now map[function]bool, of func(trait) (trait, bool)) int {
	type candidates struct{ point, entry int } // -1: none; -2: several
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
		// Two lines of one ID may each be alone with a point of its own.
		if c := found[t]; c.point >= 0 && m.free(c.entry) {
			m.take(c.point, c.entry)
			pairs++
		}
	}
	return pairs
}

// follow finds the functions that vanished as a whole and whose markers, as far as found, are all in one new
// function, and pairs what else the two functions share.
func (m *match) follow() {
	standing := map[function]bool{} // functions that have kept a marker, or got one from elsewhere and kept their name
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
