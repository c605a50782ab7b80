package profiletest

import (
	"math/rand/v2"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
)

// RandomPaths returns n or fewer paths of p's markers, with plausible figures that do not agree with
// those of the markers. With other seeds about half of the paths are the same, and their figures differ.
func RandomPaths(p *profile.Profile, n int, seed uint64) *profile.Paths {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	list := make([]profile.Path, n)
	for i := range list {
		node, of := &list[i], rand.New(rand.NewPCG(0, uint64(i)))
		if r.IntN(20) == 0 {
			of = r
		}
		node.Parent = of.IntN(i+1) - 1
		if k := of.IntN(len(p.Markers) + 1); k > 0 {
			node.ID = p.Markers[k-1].ID
		}
		node.Go = of.IntN(9) == 0
		if of.IntN(4) == 0 {
			node.Label = []string{"GET /", "GET /item", profile.OtherLabel}[of.IntN(3)]
		}
		if r.IntN(20) == 0 {
			continue // open to the end
		}
		node.Count = 1 + r.Uint64N(1000)
		node.SumNS = r.Uint64N(1_000_000)
		node.NestedNS, node.SelfNS = r.Uint64N(node.SumNS+1), r.Uint64N(node.SumNS+1)
		if r.IntN(2) == 0 {
			node.Readings = []profile.Reading{{Collector: profile.Alloc, Scopes: node.Count, Values: []profile.Value{
				{Name: profile.AllocBytes, Sum: node.SumNS, Self: node.SelfNS, Nested: node.NestedNS},
				{Name: profile.AllocObjects, Sum: node.Count},
			}}}
		}
	}
	paths := profile.NewPaths(list)
	paths.Runs, paths.Lost, paths.Labels = 1, r.Uint64N(3), r.Uint64N(3)
	return paths
}

// DemoPaths returns paths of the markers of Demo: the loop inside main, labelled, inside itself
// and in a goroutine that it starts, and scopes beyond the limit.
func DemoPaths() *profile.Paths {
	const main, loop, point = 0xa1, 0xa2, 0xa3
	paths := profile.NewPaths([]profile.Path{
		{Parent: -1, ID: main, Count: 1, SumNS: 2_400_000_000, SelfNS: 1_900_000_000},
		{Parent: 0, ID: loop, Label: "GET /", Count: 7, SumNS: 400_000_000, NestedNS: 40_000_000, SelfNS: 350_000_000},
		{Parent: 1, ID: point, Count: 1_234_567},
		{Parent: 1, ID: loop, Go: true, Count: 3, SumNS: 250_000_000, SelfNS: 250_000_000},
		{Parent: 0, ID: loop, Label: profile.OtherLabel, Count: 3, SumNS: 100_000_000, SelfNS: 90_000_000},
		{Parent: 4, Count: 5, SumNS: 10_000_000, SelfNS: 10_000_000},
	})
	paths.Runs, paths.Labels = 1, 3
	return paths
}

// A PathNode is a node of the tree of paths in a data file.
type PathNode struct {
	Number, Parent, Marker, Label uint64
	Starts                        bool
	Figures                       [4]uint64 // count, sum, nested and self time in ns; written on two shards each
	Buckets                       []profile.Bucket
}

// DemoPathRun returns Demo with the path of its first marker and, inside, the second with a label,
// inside that the first marker of a goroutine, and scopes beyond the limit.
func DemoPathRun() Run {
	r := DemoRead()
	r.Flags |= layout.FlagPaths
	r.Labels = []string{"GET /"}
	r.Paths = []PathNode{
		{Number: 3, Parent: layout.PathRoot, Marker: 1, Figures: [4]uint64{1, 1200, 0, 100}},
		{Number: 4, Parent: 3, Marker: 2, Label: 2, Figures: [4]uint64{5, 1100, 60, 900}},
		{Number: 5, Parent: 4, Marker: 1, Label: layout.PathOtherLabel, Starts: true, Figures: [4]uint64{3, 3, 0, 3}},
		{Number: 6, Parent: 3, Marker: layout.NoMarker},
	}
	return r
}

func (w *writer) paths() {
	put := func(b []byte, at int, v uint64) { w.order.PutUint64(b[at:], v) }
	for i, text := range w.run.Labels {
		b := w.block(layout.BlockLabel, 0, layout.OffLabelText+len(text))
		put(b, layout.OffLabelNumber, layout.PathOtherLabel+1+uint64(i))
		put(b, layout.OffLabelLen, uint64(len(text)))
		copy(b[layout.OffLabelText:], text)
	}
	for _, n := range w.run.Paths {
		b := w.block(layout.BlockPath, 0, layout.OffPathFlags+8)
		put(b, layout.OffPathNode, n.Number)
		put(b, layout.OffPathParent, n.Parent)
		put(b, layout.OffPathMarker, n.Marker)
		put(b, layout.OffPathLabel, n.Label)
		if n.Starts {
			put(b, layout.OffPathFlags, layout.PathStarts)
		}
		for shard := range uint32(2) {
			b := w.block(layout.BlockPathCell, shard, layout.PathCellSize)
			put(b, layout.PathCellNode, n.Number)
			for i, at := range []int{layout.PathCellCount, layout.PathCellSum, layout.PathCellNested, layout.PathCellSelf} {
				put(b, at, n.Figures[i])
			}
			for _, bucket := range n.Buckets {
				b := w.block(layout.BlockPathBuckets, shard, layout.PathBucketsSize)
				w.order.PutUint32(b[layout.PathBucketsNode:], uint32(n.Number))
				w.order.PutUint32(b[layout.PathBucketsFirst:], uint32(bucket.K+1)&^1)
				at := layout.PathBucketsCounts + 16*int((bucket.K+1)&1)
				put(b, at, bucket.Count)
				put(b, at+8, bucket.SumNS)
			}
			if len(w.run.Values) > 0 {
				w.read(shard, layout.ReadPath|n.Number, Read{
					Scopes: [][2]uint64{{n.Figures[0], 0}, {n.Figures[0], 0}},
					Values: [][3]uint64{{n.Figures[1], n.Figures[3], n.Figures[2]}, {}, {}},
				})
			}
		}
	}
}
