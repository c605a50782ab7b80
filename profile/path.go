package profile

import (
	"cmp"
	"slices"

	"github.com/markgen/markgen/registry"
)

// Paths is a calling context tree: the figures of runs by the whole chain of open scopes, in runs
// that recorded it (the key paths).
//
// Nodes has a parent before its children, and the children of a node in order of ID, Go and label;
// the descendants of a node follow it directly. A node's path is read off from it up to the root:
//
//	for i := k; i >= 0; i = nodes[i].Parent { … nodes[i].ID … }
//
// The figures of a marker are the sums over its nodes, as far as Lost allows. The width of a node in
// a flame graph is its self time plus that of all descendants. That is more than TotalNS above a
// goroutine started inside, and is not TotalNS where recursion was folded.
type Paths struct {
	Runs   uint64 // number of runs that recorded paths
	Lost   uint64 // scopes whose path could not be recorded
	Labels uint64 // scopes with the label "other" because their marker had too many labels
	Nodes  []Path
}

// OtherLabel is the label of scopes whose marker already had as many labels as can be kept.
const OtherLabel = "other"

// A Path is a node of the tree: the scopes of one marker, with one label, on one chain of markers.
type Path struct {
	Parent int         // index of the parent in Paths.Nodes; -1 at a root
	ID     registry.ID // marker; 0 for all scopes of any marker beyond the limit of nodes ("other")
	Label  string      // value of label=; "" if there is none

	// Go is true if the scope was the first of a goroutine, which was started by a goroutine whose
	// path was that of the parent. Its time is then not part of the parent's total.
	Go bool

	Count    uint64
	SumNS    uint64 // sum of the times of all scopes
	NestedNS uint64 // part of the sum from scopes inside another scope of this marker (recursion)
	SelfNS   uint64 // sum without the time in scopes opened inside

	Readings []Reading // of collectors other than time, without buckets; sorted by name

	// Buckets has the scopes with a time, if that was recorded (the key buckets); without SumSq.
	Buckets []Bucket
}

// TotalNS returns the time of all scopes, counting recursive ones once.
func (n *Path) TotalNS() uint64 { return Sub64(n.SumNS, n.NestedNS) }

// Other returns the number of scopes beyond the limit of nodes.
func (p *Paths) Other() (scopes uint64) {
	for i := range p.Nodes {
		if p.Nodes[i].ID == 0 {
			scopes = Add64(scopes, p.Nodes[i].Count)
		}
	}
	return scopes
}

// Chain returns the indexes of the nodes from the root to node k.
func (p *Paths) Chain(k int) []int {
	var chain []int
	for ; k >= 0; k = p.Nodes[k].Parent {
		chain = append(chain, k)
	}
	slices.Reverse(chain)
	return chain
}

// markers returns the markers on any path of p, which may be nil.
func (p *Paths) markers() map[registry.ID]bool {
	if p == nil {
		return nil
	}
	on := map[registry.ID]bool{}
	for i := range p.Nodes {
		on[p.Nodes[i].ID] = true
	}
	return on
}

// A PathIndex numbers paths from 0: the same path has the same number in all trees.
type PathIndex map[pathKey]int

type pathKey struct {
	parent int // number of the parent; -1 at a root
	id     registry.ID
	start  bool
	label  string
}

func (n *Path) key(parent int) pathKey { return pathKey{parent, n.ID, n.Go, n.Label} }

// Number returns the number of the path of n, and that of its parent or -1. The path gets the next
// number if it is new. numbers are those of the nodes before n in its tree.
func (x PathIndex) Number(n *Path, numbers []int) (number, parent int, isNew bool) {
	parent = -1
	if n.Parent >= 0 {
		parent = numbers[n.Parent]
	}
	number, known := x[n.key(parent)]
	if !known {
		number = len(x)
		x[n.key(parent)] = number
	}
	return number, parent, !known
}

// comparePaths orders the children of a node.
func comparePaths(a, b *Path) int {
	byGo := 0
	if a.Go != b.Go {
		byGo = 1
		if b.Go {
			byGo = -1
		}
	}
	return cmp.Or(cmp.Compare(a.ID, b.ID), byGo, cmp.Compare(a.Label, b.Label))
}

// NewPaths returns the tree with the nodes of list, which are in any order with parents before
// children, and may have the same path several times; it does not keep list.
func NewPaths(list []Path) *Paths {
	var t pathTree
	t.add(list)
	return &Paths{Nodes: t.sorted()}
}

// only returns the paths of the markers, as if there were no others: what is inside a scope of another
// marker is inside the scope around that.
func (p *Paths) only(markers []Marker) *Paths {
	kept := make(map[registry.ID]bool, len(markers))
	for i := range markers {
		kept[markers[i].ID] = true
	}
	some := NewPaths(KeepPaths(p.Nodes, func(i int) bool { return kept[p.Nodes[i].ID] }))
	some.Runs, some.Lost, some.Labels = p.Runs, p.Lost, p.Labels
	return some
}

// KeepPaths returns the nodes of list for whose index keep returns true. The children of a node that
// is left out become its parent's; if it was the first scope of a goroutine, so are they, except at
// the root.
func KeepPaths(list []Path, keep func(i int) bool) []Path {
	var kept []Path
	in := make([]int, len(list))     // index in kept of the node, or of the innermost one around it
	start := make([]bool, len(list)) // the node is left out, and what is kept inside begins a goroutine
	for i, n := range list {
		if n.Parent >= 0 {
			n.Go = n.Go || start[n.Parent]
			n.Parent = in[n.Parent]
			n.Go = n.Go && n.Parent >= 0
		}
		if !keep(i) {
			in[i], start[i] = n.Parent, n.Go
			continue
		}
		in[i] = len(kept)
		kept = append(kept, n)
	}
	return kept
}

// add returns the sum of p and q, which it does not modify; nil if neither was recorded.
func (p *Paths) add(q *Paths) *Paths {
	if p == nil && q == nil {
		return nil
	}
	sum, t := &Paths{}, pathTree{}
	for _, one := range []*Paths{p, q} {
		if one != nil {
			sum.Runs = Add64(sum.Runs, one.Runs)
			sum.Lost = Add64(sum.Lost, one.Lost)
			sum.Labels = Add64(sum.Labels, one.Labels)
			t.add(one.Nodes)
		}
	}
	sum.Nodes = t.sorted()
	return sum
}

// Sub returns p minus q, an earlier reading of the same run, without nodes that have no scopes on
// or below them. If either is nil it returns p.
func (p *Paths) Sub(q *Paths) *Paths {
	if p == nil || q == nil {
		return p
	}
	var before pathTree
	before.add(q.Nodes)
	d := &Paths{Runs: Sub64(p.Runs, q.Runs), Lost: Sub64(p.Lost, q.Lost), Labels: Sub64(p.Labels, q.Labels)}
	nodes, in := slices.Clone(p.Nodes), make([]int, len(p.Nodes))
	used := make([]bool, len(nodes))
	for i := range nodes {
		n, parent := &nodes[i], -1
		if n.Parent >= 0 {
			parent = in[n.Parent]
		}
		in[i] = -2 // not in q; and so are its descendants
		if at, ok := before.at[n.key(parent)]; ok && parent != -2 {
			in[i] = at
			n.sub(&before.nodes[at])
		}
		used[i] = n.Count|n.SumNS|n.SelfNS != 0
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		if up := nodes[i].Parent; used[i] && up >= 0 {
			used[up] = true
		}
	}
	for i := range nodes {
		if used[i] {
			in[i] = len(d.Nodes)
			if nodes[i].Parent >= 0 {
				nodes[i].Parent = in[nodes[i].Parent]
			}
			d.Nodes = append(d.Nodes, nodes[i])
		}
	}
	return d
}

// sub subtracts an earlier reading. It does not modify memory that n shares.
func (n *Path) sub(old *Path) {
	n.Count, n.SumNS = Sub64(n.Count, old.Count), Sub64(n.SumNS, old.SumNS)
	// The latest scopes may have been read in part.
	n.NestedNS = min(Sub64(n.NestedNS, old.NestedNS), n.SumNS)
	n.SelfNS = min(Sub64(n.SelfNS, old.SelfNS), n.SumNS)
	n.Readings = subReadings(n.Readings, old.Readings)
	var left []Bucket
	for _, b := range n.Buckets {
		if i := slices.IndexFunc(old.Buckets, func(c Bucket) bool { return c.K == b.K }); i >= 0 {
			b.Count, b.SumNS = Sub64(b.Count, old.Buckets[i].Count), Sub64(b.SumNS, old.Buckets[i].SumNS)
		}
		if b.Count > 0 {
			left = append(left, b)
		}
	}
	n.Buckets = left
}

// A pathTree adds up nodes by path.
type pathTree struct {
	nodes []Path
	at    PathIndex // in nodes
}

// add adds the nodes of a tree, which it neither modifies nor shares.
func (t *pathTree) add(list []Path) {
	if t.at == nil {
		t.at = make(PathIndex, len(list))
	}
	in := make([]int, len(list)) // index in t.nodes by index in list
	for i := range list {
		n := &list[i]
		k, parent, isNew := t.at.Number(n, in)
		if isNew {
			t.nodes = append(t.nodes, Path{Parent: parent, ID: n.ID, Label: n.Label, Go: n.Go})
		}
		in[i] = k
		sum := &t.nodes[k]
		sum.Count, sum.SumNS = Add64(sum.Count, n.Count), Add64(sum.SumNS, n.SumNS)
		sum.NestedNS, sum.SelfNS = Add64(sum.NestedNS, n.NestedNS), Add64(sum.SelfNS, n.SelfNS)
		sum.Readings = addReadings(sum.Readings, n.Readings)
		sum.Buckets = addBuckets(sum.Buckets, n.Buckets)
	}
}

// sorted returns the nodes in the order of Paths.Nodes.
func (t *pathTree) sorted() []Path {
	children := make([][]int, len(t.nodes)+1) // by index of the parent plus 1
	for i := range t.nodes {
		up := t.nodes[i].Parent + 1
		children[up] = append(children[up], i)
	}
	byKey := func(a, b int) int { return comparePaths(&t.nodes[b], &t.nodes[a]) }
	list := make([]Path, 0, len(t.nodes))
	at := make([]int, len(t.nodes)) // index in list by index in t.nodes
	slices.SortFunc(children[0], byKey)
	for open := children[0]; len(open) > 0; { // the next one is the last, as paths may be long
		k := open[len(open)-1]
		n := t.nodes[k]
		if n.Parent >= 0 {
			n.Parent = at[n.Parent]
		}
		at[k] = len(list)
		list = append(list, n)
		slices.SortFunc(children[k+1], byKey)
		open = append(open[:len(open)-1], children[k+1]...)
	}
	return list
}
