package profiletest

import (
	"fmt"
	"math/rand/v2"

	"github.com/markgen/markgen/profile"
)

// CallTree returns a tree of n paths of p's markers, in which some start goroutines and some have
// labels.
func CallTree(p *profile.Profile, n int, seed uint64) *profile.Paths {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	list := make([]profile.Path, n)
	for i := range list {
		node := &list[i]
		node.Parent = -1
		if i > 0 {
			node.Parent = r.IntN(i)
			if r.IntN(2) == 0 {
				node.Parent = i - 1 - r.IntN(min(i, 40))
			}
		}
		node.ID = p.Markers[r.IntN(len(p.Markers))].ID
		node.Go = i > 0 && r.IntN(50) == 0
		if r.IntN(20) == 0 {
			node.Label = fmt.Sprint("tenant ", r.IntN(4))
		}
		node.Count = 1 + r.Uint64N(1000)
		node.SelfNS = r.Uint64N(1 << r.IntN(24))
	}
	for i := n - 1; i >= 0; i-- {
		list[i].SumNS += list[i].SelfNS
		if up := list[i].Parent; up >= 0 && !list[i].Go {
			list[up].SumNS += list[i].SumNS
		}
	}
	paths := profile.NewPaths(list)
	paths.Runs = 1
	return paths
}
