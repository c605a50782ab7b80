package report

import (
	"cmp"
	"errors"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// errNoPaths is the error of formats that need call paths, for profiles without them.
var errNoPaths = errors.New("the data have no call paths; markgen run -paths and the key paths of MARKGEN record them")

// A pathNode is a node of the calling context tree with what the formats show of it.
type pathNode struct {
	*profile.Path
	marker   *profile.Marker
	children []*pathNode // the widest first

	// totalNS is the time of the scopes. Recursive scopes count once in a node, but a node inside
	// another one of the same marker has its own time.
	totalNS uint64

	// ownNS is the self time, or if that was not measured what the children's times leave of the
	// total.
	ownNS uint64

	// widthNS is the width in a flame graph: the total, or what the children need if that is more,
	// and the widths of goroutines started inside.
	widthNS uint64
}

// pathTree returns all nodes, a parent before its children, and the roots, the widest first.
func pathTree(p *profile.Profile) (nodes, roots []*pathNode) {
	markers, totals := pathMarkers(p), pathTotals(nodesOf(p))
	below, apart := make([]uint64, len(totals)), make([]uint64, len(totals))
	nodes = make([]*pathNode, len(totals))
	for i := len(nodes) - 1; i >= 0; i-- {
		n := &pathNode{Path: &p.Paths.Nodes[i], marker: markers[i], totalNS: totals[i]}
		nodes[i] = n
		n.ownNS = n.SelfNS
		if p.NoSelf {
			n.ownNS = profile.Sub64(n.totalNS, below[i])
		}
		n.widthNS = profile.Add64(max(n.totalNS, below[i]), apart[i])
		switch {
		case n.Parent < 0:
		case n.Go:
			apart[n.Parent] = profile.Add64(apart[n.Parent], n.widthNS)
		default:
			below[n.Parent] = profile.Add64(below[n.Parent], n.widthNS)
		}
	}
	for _, n := range nodes {
		if n.Parent < 0 {
			roots = append(roots, n)
		} else {
			nodes[n.Parent].children = append(nodes[n.Parent].children, n)
		}
	}
	sortPaths(roots)
	for _, n := range nodes {
		sortPaths(n.children)
	}
	return nodes, roots
}

func sortPaths(list []*pathNode) {
	slices.SortStableFunc(list, func(a, b *pathNode) int {
		return cmp.Or(cmp.Compare(b.widthNS, a.widthNS), profile.CompareNames(a.marker.Name, b.marker.Name), cmp.Compare(a.Label, b.Label))
	})
}

// nodesOf returns the nodes of the profile's paths.
func nodesOf(p *profile.Profile) []profile.Path {
	if p.Paths == nil {
		return nil
	}
	return p.Paths.Nodes
}

// pathTotals returns pathNode.totalNS of each node.
func pathTotals(nodes []profile.Path) []uint64 {
	totals := make([]uint64, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		totals[i] = n.TotalNS()
		if within(nodes, i) {
			totals[i] = n.SumNS
			if !n.Go {
				totals[i] = min(n.SumNS, totals[n.Parent])
			}
		}
	}
	return totals
}

// within reports whether node i is inside a node of the same marker.
func within(nodes []profile.Path, i int) bool {
	for k := nodes[i].Parent; k >= 0; k = nodes[k].Parent {
		if nodes[k].ID == nodes[i].ID {
			return true
		}
	}
	return false
}

// pathMarkers returns the marker of each node. The scopes beyond the limit of nodes have one named
// "other".
func pathMarkers(p *profile.Profile) []*profile.Marker {
	byID := make(map[registry.ID]*profile.Marker, len(p.Markers))
	for i := range p.Markers {
		byID[p.Markers[i].ID] = &p.Markers[i]
	}
	other := &profile.Marker{Name: "other"}
	list := make([]*profile.Marker, 0, len(nodesOf(p)))
	for _, n := range nodesOf(p) {
		m := byID[n.ID]
		if m == nil {
			m = other
		}
		list = append(list, m)
	}
	return list
}

// labelled returns a name with the label of the node, if it has one.
func (n *pathNode) labelled(name string) string {
	if n.Label == "" {
		return printable(name)
	}
	return printable(name) + " [" + printable(n.Label) + "]"
}
