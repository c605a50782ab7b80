package report

import (
	"cmp"
	"slices"

	"github.com/markgen/markgen/profile"
)

// sortKey is one order of markers: descending by the key. The order by name has
// no key.
type sortKey struct {
	name string
	key  func(m *profile.Marker) float64
}

var sortKeys = []sortKey{
	{"name", nil},
	{"total", func(m *profile.Marker) float64 { return float64(m.TotalNS()) }},
	{"self", func(m *profile.Marker) float64 { return float64(m.SelfNS) }},
	{"count", func(m *profile.Marker) float64 { return float64(m.Count) }},
	{"mean", (*profile.Marker).MeanNS},
	{"max", func(m *profile.Marker) float64 { return float64(m.MaxNS) }},
}

// Sorts lists the sort keys there are, the default first.
func Sorts() []string {
	var names []string
	for _, s := range sortKeys {
		names = append(names, s.name)
	}
	return names
}

// sorted returns the profile's markers in that order; "" is by name.
func sorted(p *profile.Profile, order string) []*profile.Marker {
	type keyed struct {
		key float64
		m   *profile.Marker
	}
	key := func(*profile.Marker) float64 { return 0 }
	for _, s := range sortKeys {
		if s.name == order && s.key != nil {
			key = s.key
		}
	}
	list := make([]keyed, len(p.Markers))
	for i := range p.Markers {
		list[i] = keyed{key(&p.Markers[i]), &p.Markers[i]}
	}
	slices.SortFunc(list, func(a, b keyed) int {
		return cmp.Or(
			-cmp.Compare(a.key, b.key),
			profile.CompareMarkers(a.m, b.m),
		)
	})
	markers := make([]*profile.Marker, len(list))
	for i, k := range list {
		markers[i] = k.m
	}
	return markers
}
