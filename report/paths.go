package report

import "github.com/markgen/markgen/profile"

// pathTotals returns for each node the time of its scopes, ns. Recursive scopes count once in a
// node, but a node inside another one of the same marker has its own time.
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
