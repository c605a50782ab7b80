package cct

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/layout"
)

const scratch = 1

// A file has the blocks of a tree.
type file struct {
	sync.Mutex
	blocks.Space
	first []uint64
}

func newFile() *file {
	f := &file{first: make([]uint64, 1<<20)}
	f.Open(nil, unsafe.Slice((*byte)(unsafe.Pointer(&f.first[0])), 8*len(f.first)), nil, nil)
	return f
}

// published returns the blocks that readers see.
func (f *file) published() (all [][]uint64) {
	used := f.first[layout.OffUsed/8] / 8
	for at := uint64(layout.HeaderSize / 8); at < used; at += f.first[at+layout.OffBlockSize/8] / 8 {
		all = append(all, f.first[at:used])
	}
	return all
}

func memory(size uintptr) unsafe.Pointer { return unsafe.Pointer(&make([]uint64, size/8+1)[0]) }

func open(t testing.TB, limit uint32, unfolded bool) (*Tree, *file) {
	t.Helper()
	tree := new(Tree)
	if !tree.Open(limit, unfolded, scratch, memory) {
		t.Fatal("no memory")
	}
	return tree, newFile()
}

// enter is what perf does at a scope.
func enter(tree *Tree, f *file, parent, marker, label uint32) uint32 {
	if k := tree.Child(parent, marker, label); k != None {
		return k
	}
	f.Lock()
	defer f.Unlock()
	return tree.Add(&f.Space, parent, marker, label)
}

// chain returns the markers from the root to node k.
func chain(tree *Tree, k uint32) (markers []uint32) {
	for ; k != Root; k = tree.nodes[k].parent {
		markers = append(markers, tree.nodes[k].marker)
	}
	slices.Reverse(markers)
	return markers
}

// Goroutines that enter the same chains concurrently find the same nodes, and each chain has a node
// of its own, which is in the file once, after its parent.
func TestNodes(t *testing.T) {
	const limit, goroutines = 1 << 14, 4
	tree, f := open(t, limit, false)
	var found [goroutines]map[string]uint32
	var wg sync.WaitGroup
	for g := range found {
		wg.Add(1)
		go func() {
			defer wg.Done()
			found[g] = map[string]uint32{}
			r := rand.New(rand.NewPCG(1, uint64(g)))
			for range 20_000 {
				k, text := uint32(Root), ""
				for range 1 + r.IntN(4) {
					m := 2 + r.Uint32N(9)
					if slices.Contains(chain(tree, k), m) {
						continue
					}
					k = enter(tree, f, k, m, 0)
					text += fmt.Sprint(m, " ")
					if before, ok := found[g][text]; ok && before != k {
						t.Errorf("%s is node %d, and was %d", text, k, before)
					}
					found[g][text] = k
				}
			}
		}()
	}
	wg.Wait()
	seen := map[uint32]string{}
	for g := range found {
		for text, k := range found[g] {
			if other, ok := seen[k]; ok && other != text {
				t.Errorf("node %d is of %s and of %s", k, text, other)
			}
			seen[k] = text
			if got := fmt.Sprint(chain(tree, k)); got != "["+text[:len(text)-1]+"]" {
				t.Errorf("node %d of %s has the chain %s", k, text, got)
			}
		}
	}
	known := map[uint64]bool{layout.PathRoot: true}
	all := f.published()
	for _, b := range all {
		p := (*block)(unsafe.Pointer(&b[0]))
		if p.kind != layout.BlockPath || known[p.node] || !known[p.parent] || seen[uint32(p.node)] == "" {
			t.Errorf("block %+v", p)
		}
		known[p.node] = true
	}
	if len(all) != len(seen) {
		t.Errorf("%d blocks for %d nodes", len(all), len(seen))
	}
}

// A marker inside itself has the node of the outer scope, unless the tree is unfolded.
func TestRecursion(t *testing.T) {
	tree, f := open(t, 100, false)
	a := enter(tree, f, Root, 5, 0)
	b := enter(tree, f, a, 6, 0)
	for range 3 {
		if k := enter(tree, f, b, 5, 0); k != a {
			t.Errorf("a inside b inside a is node %d, want %d", k, a)
		}
		if k := enter(tree, f, a, 5, 0); k != a {
			t.Errorf("a inside a is node %d, want %d", k, a)
		}
	}
	if len(f.published()) != 2 {
		t.Errorf("%d nodes", len(f.published()))
	}
	tree, f = open(t, 100, true)
	k := uint32(Root)
	for range 10 {
		k = enter(tree, f, k, 5, 0)
	}
	if len(chain(tree, k)) != 10 {
		t.Errorf("unfolded, the chain is %d", chain(tree, k))
	}
	tree, f = open(t, 1000, true)
	k = Root
	for range 500 {
		k = enter(tree, f, enter(tree, f, k, 5, 0), 6, 0)
	}
	if len(chain(tree, k)) != maxUnfolded {
		t.Errorf("unfolded, the chain has %d nodes", len(chain(tree, k)))
	}
}

// A goroutine has its own nodes below the path that started it; one that starts itself again is
// folded.
func TestGoroutines(t *testing.T) {
	tree, f := open(t, 100, false)
	serve := enter(tree, f, Root, 5, 0)
	work := enter(tree, f, serve, 6, Starts)
	if again := enter(tree, f, serve, 6, 0); again == work {
		t.Error("called and started are the same")
	}
	if k := enter(tree, f, work, 5, 0); k == serve {
		t.Error("a scope of a goroutine is folded into one of the goroutine that started it")
	}
	inner := enter(tree, f, work, 7, Starts)
	if k := enter(tree, f, inner, 6, Starts); k != work {
		t.Errorf("a goroutine that leads to itself is node %d, want %d", k, work)
	}
}

// Beyond the limit, scopes count at a node of their parent, also those inside; known chains and
// recursion are not affected.
func TestLimit(t *testing.T) {
	const limit = 10
	tree, f := open(t, limit, false)
	a := enter(tree, f, Root, 5, 0)
	b := enter(tree, f, a, 6, 0)
	for m := range uint32(limit) {
		enter(tree, f, b, 10+m, 0)
	}
	other := enter(tree, f, a, 99, 0)
	if tree.nodes[other].parent != a || tree.nodes[other].marker != 1<<32-1 {
		t.Errorf("beyond the limit: %d", chain(tree, other))
	}
	for _, k := range []uint32{enter(tree, f, a, 98, 0), enter(tree, f, a, 97, 3), enter(tree, f, other, 96, 0), enter(tree, f, other, 5, 0)} {
		if k != other {
			t.Errorf("%d, want the same as before, %d", k, other)
		}
	}
	if k := enter(tree, f, a, 6, 0); k != b {
		t.Errorf("a known chain is node %d, want %d", k, b)
	}
	if k := enter(tree, f, b, 5, 0); k != a {
		t.Errorf("recursion is node %d, want %d", k, a)
	}
	for k := uint32(first); k < first+limit; k++ {
		if enter(tree, f, k, 1000, 0) == None {
			t.Errorf("node %d has no room for other scopes", k)
		}
	}
	if n := len(f.published()); n > 2*limit {
		t.Errorf("%d nodes", n)
	}
	if b := (*block)(unsafe.Pointer(&f.published()[limit][0])); b.marker != layout.NoMarker {
		t.Errorf("marker %d", b.marker)
	}
}

// Without memory there is no node.
func TestNoMemory(t *testing.T) {
	tree, _ := open(t, 10, false)
	none := new(blocks.Space)
	if k := tree.Add(none, Root, 5, 0); k != None {
		t.Errorf("node %d", k)
	}
	if k := tree.AddLabel(none, 5, "x"); k != Other {
		t.Errorf("label %d", k)
	}
	if NewCell(none, 0, 3) != nil {
		t.Error("a cell")
	}
	if new(Tree).Open(10, false, scratch, func(uintptr) unsafe.Pointer { return nil }) {
		t.Error("open")
	}
}

// Each marker has MaxLabels labels, of all further ones it has one.
func TestLabels(t *testing.T) {
	tree, f := open(t, 10, false)
	label := func(marker uint32, text string) uint32 {
		if k := tree.Label(marker, text); k != 0 {
			return k
		}
		return tree.AddLabel(&f.Space, marker, text)
	}
	seen := map[uint32]bool{Other: true}
	for range 2 {
		for _, marker := range []uint32{5, 6} {
			for i := range MaxLabels {
				k := label(marker, fmt.Sprint("route ", i))
				if seen[k] != (len(seen) > 2*MaxLabels) {
					t.Fatalf("label %d of marker %d is %d", i, marker, k)
				}
				seen[k] = true
			}
			if len(seen) > 2*MaxLabels {
				if k := label(marker, "more"); k != Other {
					t.Errorf("a label too many is %d", k)
				}
			}
		}
	}
	long := string(make([]byte, 300))
	if label(7, long) != label(7, long[:280]) {
		t.Error("a long label is not cut")
	}
	if len(f.published()) != 2*MaxLabels+1 {
		t.Errorf("%d blocks", len(f.published()))
	}
}

// Child takes no memory.
func TestAllocations(t *testing.T) {
	tree, f := open(t, 100, false)
	k := enter(tree, f, Root, 5, tree.AddLabel(&f.Space, 5, "x"))
	if n := testing.AllocsPerRun(100, func() {
		if tree.Child(Root, 5, tree.Label(5, "x")) != k {
			t.Error("another node")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
