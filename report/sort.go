package report

import (
	"cmp"
	"slices"

	"github.com/markgen/markgen/profile"
)

// A sortKey is an order of markers: descending by key, with markers that were not executed last, or
// as compare says. Ties are by name.
type sortKey struct {
	name    string
	key     func(m *profile.Marker) float64
	compare func(a, b *profile.Marker) int
}

var sortKeys = []sortKey{
	{name: "name"},
	{name: "total", key: func(m *profile.Marker) float64 { return float64(m.TotalNS()) }},
	{name: "self", key: func(m *profile.Marker) float64 { return float64(m.SelfNS) }},
	{name: "running", key: func(m *profile.Marker) float64 { return float64(m.RunningNS()) }},
	{name: "waiting", key: func(m *profile.Marker) float64 { return float64(m.WaitingNS()) }},
	{name: "count", key: func(m *profile.Marker) float64 { return float64(m.Count) }},
	{name: "mean", key: (*profile.Marker).MeanNS},
	{name: "max", key: func(m *profile.Marker) float64 { return float64(m.MaxNS) }},
	{name: "place", compare: comparePlaces},
}

// comparePlaces orders markers by file and line.
func comparePlaces(a, b *profile.Marker) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}

// Sorts returns the names of the orders.
func Sorts() []string {
	var names []string
	for _, s := range sortKeys {
		names = append(names, s.name)
	}
	return names
}

// defaultOrder returns the default order of formats for people.
func defaultOrder(p *profile.Profile) string {
	switch {
	case !slices.ContainsFunc(p.Markers, func(m profile.Marker) bool { return len(m.Buckets) > 0 }):
		return "count"
	case p.NoSelf:
		return "total"
	case p.KnowsWaiting():
		return "running"
	}
	return "self"
}

// sorted returns the profile's markers in the given order; "" is by name.
func sorted(p *profile.Profile, order string) []*profile.Marker {
	type keyed struct {
		key     float64
		reached bool
		m       *profile.Marker
	}
	var key func(*profile.Marker) float64
	compare := func(_, _ *profile.Marker) int { return 0 }
	for _, s := range sortKeys {
		switch {
		case s.name != order:
		case s.key != nil:
			key = s.key
		case s.compare != nil:
			compare = s.compare
		}
	}
	list := make([]keyed, len(p.Markers))
	for i := range p.Markers {
		m := &p.Markers[i]
		list[i].m = m
		if key != nil {
			list[i].key, list[i].reached = key(m), m.Count > 0 || m.Open > 0
		}
	}
	slices.SortFunc(list, func(a, b keyed) int {
		return cmp.Or(
			-cmp.Compare(a.key, b.key),
			flag(b.reached)-flag(a.reached),
			compare(a.m, b.m),
			profile.CompareMarkers(a.m, b.m),
		)
	})
	markers := make([]*profile.Marker, len(list))
	for i, k := range list {
		markers[i] = k.m
	}
	return markers
}
