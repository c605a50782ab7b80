package report

import (
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// pagePaths is the calling context tree of both profiles, for the flame graph: columns with an entry
// for each node. A parent comes before its children.
type pagePaths struct {
	Up     []int `json:"up"`     // distance to the parent; 0 at a root
	Marker []int `json:"marker"` // index of the marker; -1 for the scopes beyond the limit of nodes
	Label  []int `json:"label"`  // index in Labels
	Go     []int `json:"go"`     // nodes that are the first scope of a goroutine started by their parent

	// Overlap lists the nodes whose totals may be in those of others beside them, too.
	Overlap []int `json:"overlap"`

	Labels   []string        `json:"labels"` // the first is "", no label
	Packages []string        `json:"packages"`
	Package  []int           `json:"package"` // index in Packages for each marker
	Sides    []pagePathsSide `json:"sides"`   // as the sides of pageData
}

type pagePathsSide struct {
	Count []whole `json:"count"`
	Total []whole `json:"total"`
	Self  []whole `json:"self"`

	Values []pagePathsValue `json:"values"` // what other collectors read, if not 0

	Buckets *pagePathBuckets `json:"buckets,omitempty"`
}

// pagePathBuckets has the distributions of times where they were recorded by path: columns with an
// entry for each bucket that is not empty.
type pagePathBuckets struct {
	Node  []int   `json:"node"`
	K     []int   `json:"k"`
	Count []whole `json:"count"`
	Sum   []whole `json:"sum"`
}

func (d *pagePathBuckets) add(node int, list []profile.Bucket) *pagePathBuckets {
	if d == nil && len(list) > 0 {
		d = &pagePathBuckets{}
	}
	for _, b := range list {
		d.Node, d.K = append(d.Node, node), append(d.K, int(b.K))
		d.Count, d.Sum = append(d.Count, whole(b.Count)), append(d.Sum, whole(b.SumNS))
	}
	return d
}

type pagePathsValue struct {
	Name string  `json:"name"` // collector and value
	Self []whole `json:"self"`
}

// paths returns the union of the trees of the profiles, or nil if there are none; at has the index
// of each marker.
func paths(profiles []*profile.Profile, markers []*profile.Marker, at map[registry.ID]int) *pagePaths {
	if !slices.ContainsFunc(profiles, func(p *profile.Profile) bool { return p.Paths != nil && len(p.Paths.Nodes) > 0 }) {
		return nil
	}
	d := &pagePaths{Up: []int{}, Marker: []int{}, Label: []int{}, Go: []int{}, Overlap: []int{}, Labels: []string{""}, Packages: []string{}, Package: []int{}}
	index, labels := profile.PathIndex{}, map[string]int{"": 0}
	in := make([][]int, len(profiles)) // index in the union for each node
	for side, p := range profiles {
		for _, n := range nodesOf(p) {
			k, parent, isNew := index.Number(&n, in[side])
			if isNew {
				d.add(k, parent, &n, at, labels)
			}
			in[side] = append(in[side], k)
		}
	}
	for side, p := range profiles {
		d.Sides = append(d.Sides, pathsSide(nodesOf(p), in[side], len(d.Up)))
	}
	d.Overlap = overlaps(profiles, in)
	packages := map[string]int{}
	for _, m := range markers {
		k, have := packages[m.Package]
		if !have {
			k = len(d.Packages)
			packages[m.Package] = k
			d.Packages = append(d.Packages, printable(m.Package))
		}
		d.Package = append(d.Package, k)
	}
	return d
}

// overlaps returns the nodes that overlap others in one of the profiles, in order.
func overlaps(profiles []*profile.Profile, in [][]int) []int {
	list := []int{}
	for side, p := range profiles {
		for i, overlap := range overlapping(p, pathTotals(nodesOf(p))) {
			if overlap {
				list = append(list, in[side][i])
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// add adds n as node k, inside the node parent.
func (d *pagePaths) add(k, parent int, n *profile.Path, at map[registry.ID]int, labels map[string]int) {
	up, marker := 0, -1
	if parent >= 0 {
		up = k - parent
	}
	if i, known := at[n.ID]; known {
		marker = i
	}
	label, have := labels[n.Label]
	if !have {
		label = len(d.Labels)
		labels[n.Label] = label
		d.Labels = append(d.Labels, printable(n.Label))
	}
	d.Up, d.Marker, d.Label = append(d.Up, up), append(d.Marker, marker), append(d.Label, label)
	if n.Go {
		d.Go = append(d.Go, k)
	}
}

// pathsSide returns the figures of one profile's nodes; in has the index of each among all n.
func pathsSide(nodes []profile.Path, in []int, n int) pagePathsSide {
	s := pagePathsSide{make([]whole, n), make([]whole, n), make([]whole, n), []pagePathsValue{}, nil}
	values, totals := map[string]int{}, pathTotals(nodes)
	for i := range nodes {
		node, k := &nodes[i], in[i]
		s.Count[k], s.Total[k], s.Self[k] = whole(node.Count), whole(totals[i]), whole(node.SelfNS)
		s.Buckets = s.Buckets.add(k, node.Buckets)
		for _, r := range node.Readings {
			for _, v := range r.Values {
				if v.Self == 0 {
					continue
				}
				name := printable(r.Collector + " " + v.Name)
				at, have := values[name]
				if !have {
					at = len(s.Values)
					values[name] = at
					s.Values = append(s.Values, pagePathsValue{name, make([]whole, n)})
				}
				s.Values[at].Self[k] = whole(v.Self)
			}
		}
	}
	return s
}
