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
	// and the widths of goroutines started inside. If the node overlaps, it is ownNS and what the
	// children need.
	widthNS  uint64
	overlaps bool
}

// pathTree returns all nodes, a parent before its children, and the roots, the widest first.
func pathTree(p *profile.Profile) (nodes, roots []*pathNode) {
	markers, totals := pathMarkers(p), pathTotals(nodesOf(p))
	overlap := overlapping(p, totals)
	below, apart := make([]uint64, len(totals)), make([]uint64, len(totals))
	nodes = make([]*pathNode, len(totals))
	for i := len(nodes) - 1; i >= 0; i-- {
		n := &pathNode{Path: &p.Paths.Nodes[i], marker: markers[i], totalNS: totals[i], overlaps: overlap[i]}
		nodes[i] = n
		n.ownNS = n.SelfNS
		if p.NoSelf {
			n.ownNS = profile.Sub64(n.totalNS, below[i])
		}
		n.widthNS = max(n.totalNS, below[i])
		if n.overlaps {
			n.widthNS = profile.Add64(n.ownNS, below[i])
		}
		n.widthNS = profile.Add64(n.widthNS, apart[i])
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

// overlapping reports for each node whether its total may be in that of a node beside it, too: if
// main calls eval, which calls f, and f and g each call eval again, on the path of the first
//
//	main 100
//	  eval 95
//	    f    90
//	    g    80
//
// then the totals of f and g have parts of each other, and only self times add up. That is so below
// any node whose children, recursive ones among them, exceed its own total.
func overlapping(p *profile.Profile, totals []uint64) []bool {
	nodes := nodesOf(p)
	overlap := make([]bool, len(nodes))
	if p.NoSelf {
		return overlap
	}
	below, recursive := make([]uint64, len(nodes)), make([]bool, len(nodes))
	for i := range nodes {
		if n := &nodes[i]; n.Parent >= 0 && !n.Go {
			below[n.Parent] = profile.Add64(below[n.Parent], totals[i])
			recursive[n.Parent] = recursive[n.Parent] || n.NestedNS > 0
		}
	}
	for i := range nodes {
		if up := nodes[i].Parent; up >= 0 {
			overlap[i] = overlap[up] || recursive[up] && nodes[up].Count > 0 && below[up] > totals[up]
		}
	}
	return overlap
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
