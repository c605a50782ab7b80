package runfile

import (
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/runtime/layout"
)

// A pathTree is what was read of the paths so far.
type pathTree struct {
	nodes  []profile.Path    // without IDs
	marker []uint64          // of each node: global index, or NoMarker
	number map[uint64]int    // index in nodes
	labels map[uint64]string // by number
	cells  map[cellKey]bool  // cells seen, by node

	recorded map[uint64]figures // what was recorded of sampled markers, by global index
}

// path reads a node.
func (r *run) path(b block) error {
	data, err := r.content(b, layout.OffPathFlags+8)
	if err != nil {
		return err
	}
	t := &r.tree
	number, parent := r.order.Uint64(data[layout.OffPathNode:]), r.order.Uint64(data[layout.OffPathParent:])
	at, ok := t.number[parent]
	if parent == layout.PathRoot {
		at, ok = -1, true
	}
	_, twice := t.number[number]
	label := r.order.Uint64(data[layout.OffPathLabel:])
	text, labelled := t.labels[label]
	switch {
	case label == 0:
		labelled = true
	case label == layout.PathOtherLabel:
		text, labelled = profile.OtherLabel, true
	}
	switch {
	case twice || number <= layout.PathRoot:
		return r.damaged(b.offset, "a second path with the number %d; it is left out", number)
	case !ok:
		return r.damaged(b.offset, "path %d inside path %d, which is not in the file; it is left out", number, parent)
	case !labelled:
		return r.damaged(b.offset, "path %d with label %d, which is not in the file; it is left out", number, label)
	}
	if t.number == nil {
		t.number = map[uint64]int{}
	}
	t.number[number] = len(t.nodes)
	t.marker = append(t.marker, r.order.Uint64(data[layout.OffPathMarker:]))
	t.nodes = append(t.nodes, profile.Path{
		Parent: at,
		Label:  text,
		Go:     r.order.Uint64(data[layout.OffPathFlags:])&layout.PathStarts != 0,
	})
	return nil
}

// label reads a label of paths.
func (r *run) label(b block) error {
	head, err := r.content(b, layout.OffLabelText)
	if err != nil {
		return err
	}
	number, length := r.order.Uint64(head[layout.OffLabelNumber:]), r.order.Uint64(head[layout.OffLabelLen:])
	if length > b.size-layout.OffLabelText {
		return r.damaged(b.offset, "label %d of %d bytes in a block of %d; it is left out", number, length, b.size)
	}
	text, err := r.content(b, layout.OffLabelText+length)
	if err != nil {
		return err
	}
	if _, twice := r.tree.labels[number]; twice || number <= layout.PathOtherLabel {
		return r.damaged(b.offset, "a second label with the number %d; it is left out", number)
	}
	if r.tree.labels == nil {
		r.tree.labels = map[uint64]string{}
	}
	r.tree.labels[number] = strings.ToValidUTF8(string(text[layout.OffLabelText:]), "\uFFFD")
	return nil
}

// pathCell reads the figures of one processor at a path.
func (r *run) pathCell(b block) error {
	data, err := r.content(b, layout.PathCellSize)
	if err != nil {
		return err
	}
	word := func(at int) uint64 { return r.order.Uint64(data[at:]) }
	number := word(layout.PathCellNode)
	k, ok := r.tree.number[number]
	key := cellKey{b.shard, number}
	switch {
	case !ok:
		return r.damaged(b.offset, "a cell of path %d, which is not in the file; it is left out", number)
	case r.tree.cells[key]:
		return r.damaged(b.offset, "a second cell of path %d on processor %d; it is left out", number, b.shard)
	}
	if r.tree.cells == nil {
		r.tree.cells = map[cellKey]bool{}
	}
	r.tree.cells[key] = true
	n, sum := &r.tree.nodes[k], word(layout.PathCellSum)
	n.Count = profile.Add64(n.Count, word(layout.PathCellCount))
	n.SumNS = profile.Add64(n.SumNS, sum)
	// The latest scope of a killed process may be in some of the words only.
	n.NestedNS = profile.Add64(n.NestedNS, min(word(layout.PathCellNested), sum))
	n.SelfNS = profile.Add64(n.SelfNS, min(word(layout.PathCellSelf), sum))
	return nil
}

// pathBuckets reads two buckets of the times of one processor at a path.
func (r *run) pathBuckets(b block) error {
	data, err := r.content(b, layout.PathBucketsSize)
	if err != nil {
		return err
	}
	number, first := uint64(r.order.Uint32(data[layout.PathBucketsNode:])), r.order.Uint32(data[layout.PathBucketsFirst:])
	k, ok := r.tree.number[number]
	if !ok || first > layout.NumBuckets || first%2 != 0 {
		return r.damaged(b.offset, "buckets %d of path %d; they are left out", first, number)
	}
	n := &r.tree.nodes[k]
	for i := range uint32(2) {
		at := layout.PathBucketsCounts + 16*i
		one := profile.Bucket{K: uint8(first + i - 1), Count: r.order.Uint64(data[at:]), SumNS: r.order.Uint64(data[at+8:])}
		if one.Count > 0 && one.K < layout.NumBuckets {
			n.Buckets = profile.AddBuckets(n.Buckets, one)
		}
	}
	return nil
}

// paths sets the paths of the profile, with the IDs of their markers. It needs all tables and
// aliases. A node whose marker is not collected is left out, and its children are its parent's.
func (r *run) paths() {
	if r.header.word(layout.OffFlags)&layout.FlagPaths == 0 {
		return
	}
	t, number := &r.tree, r.numbering()
	lost := r.scalePaths(number)
	for i := range t.nodes {
		t.nodes[i].ID = r.pathID(number(t.marker[i]))
	}
	r.Paths = profile.NewPaths(profile.KeepPaths(t.nodes, func(i int) bool { return t.nodes[i].ID != 0 || t.marker[i] == layout.NoMarker }))
	r.Paths.Runs = 1
	r.Paths.Lost, r.Paths.Labels = profile.Add64(lost, r.header.word(layout.OffPathsLost)), r.header.word(layout.OffOtherLabels)
}

// pathID returns the ID of the marker at a global index, or 0.
func (r *run) pathID(index uint64) registry.ID {
	if m := r.named(index); m != nil {
		return m.ID
	}
	return 0
}
