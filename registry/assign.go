package registry

import (
	"cmp"
	"slices"
	"strings"
)

// Assign returns the ID of each point, with ids[i] for points[i], and the new registry. points must
// be all points of packages, in the files for all platforms: an entry of these packages that has no
// point is retired, and only such entries can give their ID to a point elsewhere. Entries of other
// packages are not changed. Assign does not modify r, and the order of packages and points does not
// matter.
//
// Files with exclusive build constraints may declare the same function. In any build there is only
// one of them, and its markers have the IDs that they would have without the others. So points get
// their IDs in layers, each with at most one file per function, from the registry that has them
// all.
//
// If two points are identical in all properties, including name and file, it is undefined which of
// them gets which of their two IDs.
func (r *Registry) Assign(packages []string, points []Point) ([]ID, *Registry) {
	ids, after := r.assign(packages, points)
	layer, count := layers(points)
	for n := 0; count > 1 && n < count; n++ {
		var some []Point
		var index []int
		for i, p := range points {
			if layer[i] == n {
				some, index = append(some, p), append(index, i)
			}
		}
		given, _ := after.assign(packages, some)
		for i, at := range index {
			ids[at] = given[i]
		}
	}
	return ids, after
}

// assign is Assign for points that can all be in one build.
func (r *Registry) assign(packages []string, points []Point) ([]ID, *Registry) {
	m := newMatch(r, packages, points)
	m.exact()
	if m.pending() {
		m.revive(sameBody)
		m.evidence()
		m.revive(sameOrdinal)
		m.aligned()
	}
	m.assignIDs()
	ids := make([]ID, len(points))
	for i, at := range m.places {
		ids[at] = m.points[i].id
	}
	return ids, m.registry()
}

// site is a point and the state of its assignment.
type site struct {
	*Point
	header  string // as stored in the registry, see shorten
	ordinal int
	entry   int // index of the entry it continues; -1 if there is none
	id      ID  // set by assignIDs
	rank    string
}

// match is the state of an Assign.
type match struct {
	points  []site // in canonical order: by package, function and natural name
	places  []int  // places[i] is the index of points[i] in the caller's slice
	entries []Entry
	scope   map[string]bool // packages whose entries may be continued or retired
	inScope []bool          // by index of entries
	serial  []int           // serial number of an entry's ID: equal for lines with one ID
	taken   []bool          // by serial number: continued by a point
	ids     map[ID]bool     // all IDs in the registry
	open    int             // number of points without an entry
	moved   map[function]function
}

// function identifies a top-level function.
type function struct{ pkg, name string }

func newMatch(r *Registry, packages []string, points []Point) *match {
	m := &match{
		points:  make([]site, len(points)),
		entries: r.entries,
		scope:   make(map[string]bool, len(packages)),
		inScope: make([]bool, len(r.entries)),
		serial:  make([]int, len(r.entries)),
		ids:     make(map[ID]bool, len(r.entries)+len(points)),
		open:    len(points),
	}
	for _, p := range packages {
		m.scope[p] = true
	}
	for i := range points {
		m.scope[points[i].Package] = true
	}
	first := make(map[ID]int, len(r.entries))
	for i, e := range r.entries {
		n, ok := first[e.ID]
		if !ok {
			n = len(first)
			first[e.ID] = n
		}
		m.serial[i] = n
		m.inScope[i] = m.scope[e.Package]
		m.ids[e.ID] = true
	}
	m.taken = make([]bool, len(first))
	m.sort(points)
	m.count()
	return m
}

// sort sets points and places, in canonical order.
func (m *match) sort(points []Point) {
	names := make([]string, len(points))
	m.places = make([]int, len(points))
	for i := range points {
		names[i], m.places[i] = natural(points[i].Name), i
	}
	slices.SortStableFunc(m.places, func(i, j int) int {
		a, b := &points[i], &points[j]
		switch { // compare the costlier fields only if needed: most differ early
		case a.Package != b.Package:
			return cmp.Compare(a.Package, b.Package)
		case a.Func != b.Func:
			return cmp.Compare(a.Func, b.Func)
		case names[i] != names[j]:
			return cmp.Compare(names[i], names[j])
		}
		return cmp.Or(
			cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Given, b.Given),
			cmp.Compare(a.Header, b.Header),
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Body, b.Body),
		)
	})
	for i, at := range m.places {
		p := &points[at]
		m.points[i] = site{Point: p, header: shorten(p.Header), entry: -1}
	}
}

// natural returns a sort key for a name in which numbers compare by value: if#2 before if#10.
func natural(name string) string {
	if !strings.Contains(name, "#") {
		return name
	}
	var b strings.Builder
	b.Grow(len(name) + 8)
	for {
		before, after, found := strings.Cut(name, "#")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		digits := len(after) - len(strings.TrimLeft(after, "0123456789"))
		b.WriteByte('#')
		if digits < 10 {
			b.WriteByte(byte('0' + digits))
		}
		name = after
	}
}

// key is what equal markers of a function have in common.
type key struct{ pkg, fn, kind, given, header string }

func (s *site) key() key     { return key{s.Package, s.Func, s.Kind, s.Given, s.header} }
func entryKey(e *Entry) key  { return key{e.Package, e.Func, e.Kind, e.Given, e.Header} }
func (s *site) in() function { return function{s.Package, s.Func} }

// count sets the ordinals of points with equal keys.
func (m *match) count() {
	counts := map[key]int{}
	start := 0
	for i := range m.points {
		s := &m.points[i]
		if i > start && s.in() != m.points[start].in() {
			clear(counts)
			start = i
		}
		counts[s.key()]++
		s.ordinal = counts[s.key()]
	}
}

// take pairs point i with entry e.
func (m *match) take(i, e int) {
	m.points[i].entry = e
	m.taken[m.serial[e]] = true
	m.open--
}

// free reports whether a point may continue entry e.
func (m *match) free(e int) bool { return m.inScope[e] && !m.taken[m.serial[e]] }

// vanished returns the live entries that no point continues.
func (m *match) vanished() []int {
	var list []int
	for e := range m.entries {
		if !m.entries[e].Retired && m.free(e) {
			list = append(list, e)
		}
	}
	return list
}

// fresh returns the points that continue no entry.
func (m *match) fresh() []int {
	list := make([]int, 0, m.open)
	for i := range m.points {
		if m.points[i].entry < 0 {
			list = append(list, i)
		}
	}
	return list
}

func (m *match) pending() bool { return m.open > 0 && len(m.entries) > 0 }

// assignIDs sets the ID of every point: that of its entry, or a new one.
func (m *match) assignIDs() {
	for i := range m.points {
		s := &m.points[i]
		if s.entry >= 0 {
			s.id = m.entries[s.entry].ID
			continue
		}
		s.id = derive(s.Point, s.ordinal, m.ids)
		m.ids[s.id] = true
	}
}

// registry returns the new registry: the entries of the points, retired entries, and entries out of
// scope.
func (m *match) registry() *Registry {
	m.rank()
	list := make([]Entry, 0, len(m.points)+len(m.entries)/8)
	for i := range m.points {
		s := &m.points[i]
		list = append(list, Entry{
			ID: s.id, Package: s.Package, Func: s.Func, Kind: s.Kind, Ordinal: s.ordinal,
			Given: s.Given, Header: s.header, Body: s.Body, Rank: s.rank,
		})
	}
	// All lines of an ID that no point continues are replaced by one retired line, if all of them
	// are in scope.
	outside := make([]bool, len(m.taken))
	for e := range m.entries {
		if !m.inScope[e] {
			outside[m.serial[e]] = true
		}
	}
	done := make([]bool, len(m.taken))
	for e, entry := range m.entries {
		switch n := m.serial[e]; {
		case m.taken[n]:
		case outside[n]:
			list = append(list, entry)
		case !done[n]:
			done[n] = true
			entry.Retired = true
			list = append(list, entry)
		}
	}
	slices.SortFunc(list, compareEntries)
	return &Registry{list}
}

// rank sets the ranks of the markers without a given name, by function. Markers keep their ranks if
// the order allows it.
func (m *match) rank() {
	for start := 0; start < len(m.points); {
		end := start
		var sites []*site
		for ; end < len(m.points) && m.points[end].in() == m.points[start].in(); end++ {
			if s := &m.points[end]; s.Given == "" {
				sites = append(sites, s)
				if s.entry >= 0 {
					s.rank = m.rankIn(s)
				}
			}
		}
		rankSites(sites)
		start = end
	}
}

// rankIn returns the rank that s had in its present function, under the present or an earlier name
// of the function.
func (m *match) rankIn(s *site) string {
	e := &m.entries[s.entry]
	from := function{e.Package, e.Func}
	if to, ok := m.moved[from]; from == s.in() || ok && to == s.in() {
		return e.Rank
	}
	return ""
}

func rankSites(sites []*site) {
	ranks := make([]string, len(sites))
	for i, s := range sites {
		ranks[i], s.rank = s.rank, ""
	}
	last := -1 // site before the gap
	fill := func(end int, high string) bool {
		low := ""
		if last >= 0 {
			low = sites[last].rank
		}
		fresh := between(low, high, end-last-1)
		for i, r := range fresh {
			sites[last+1+i].rank = r
		}
		last = end
		return fresh != nil
	}
	room := true
	for _, i := range increasing(ranks) {
		sites[i].rank = ranks[i]
		room = fill(i, ranks[i]) && room
	}
	room = fill(len(sites), "") && room
	if !room {
		for i, r := range between("", "", len(sites)) {
			sites[i].rank = r
		}
	}
}
