package relate

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/random"
)

// Goroutines that look up the same edges concurrently find the same ones, and different ones for
// different markers and callers. Once the table is full, existing edges can still be found.
func TestFind(t *testing.T) {
	edges := new(Edges)
	const goroutines = 8
	var found [goroutines][maxEdges - goroutines]*Edge
	var wg sync.WaitGroup
	for g := range found {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range found[g] {
				found[g][i] = edges.Find(uint32(i%1000), uint32(i/1000+1))
			}
		}()
	}
	wg.Wait()
	seen := map[*Edge]bool{}
	for i, e := range found[0] {
		for g := range found {
			if found[g][i] != e {
				t.Fatalf("edge %d is another one in another goroutine", i)
			}
		}
		if e == nil || seen[e] {
			t.Fatalf("edge %d is none of its own", i)
		}
		seen[e] = true
	}
	for i := range uint32(goroutines) {
		if edges.Find(1000, i+1) == nil {
			t.Errorf("no room for the last edge but %d", goroutines-i-1)
		}
	}
	if edges.Find(1001, 1) != nil || edges.Find(999, 1) != found[0][999] {
		t.Error("a full table does not give those that it has alone")
	}
}

// An edge whose scopes take as long as under other callers does not differ; one whose scopes take
// half as long again does, soon.
func TestObserve(t *testing.T) {
	s := random.Source(3)
	for _, tt := range []struct {
		longer uint64 // ns
		least  int    // scopes after which Observe returns true
		most   int
	}{
		{0, 100_000, 100_000},
		{20, 100_000, 100_000}, // 1.4 %
		{500, 1, 1000},
	} {
		edges := new(Edges)
		a, b := edges.Find(0, 1), edges.Find(7, 1)
		n := 0
		for n < 100_000 && !edges.Observe(b, 1000+tt.longer+s.Next()%1000) {
			edges.Observe(a, 1000+s.Next()%1000)
			n++
		}
		if n < tt.least || n > tt.most {
			t.Errorf("%d ns longer: told after %d scopes", tt.longer, n)
		}
	}
}

// In a full table no edge differs.
func TestObserveFull(t *testing.T) {
	edges := new(Edges)
	for i := range uint32(maxEdges) {
		edges.Find(0, i+1)
	}
	e := edges.Find(0, 1)
	for range 1000 {
		if edges.Observe(e, 1) {
			t.Fatal("it differs from what is not known")
		}
	}
}

// Edges that differ are distinguished from those that do not.
func TestApart(t *testing.T) {
	s := random.Source(3)
	sample := func(n int, lo, width uint64) *Edge {
		e := &Edge{}
		for range n {
			e.add(logarithm(lo + s.Next()%width))
		}
		return e
	}
	if apart(sample(1000, 1000, 1000), sample(1000, 1000, 1000)) {
		t.Error("alike, and told apart")
	}
	if !apart(sample(1000, 1000, 1000), sample(1000, 1500, 1000)) {
		t.Error("a third more, and not told apart")
	}
}

func TestLogarithm(t *testing.T) {
	for ns := uint64(1); ns < 1<<40; ns = ns*5/4 + 1 {
		if got, want := float64(logarithm(ns))/256, math.Log2(float64(ns)); math.Abs(got-want) > 0.09 {
			t.Fatalf("logarithm of %d: %g, want %g", ns, got, want)
		}
	}
	if logarithm(0) != 0 || logarithm(math.MaxUint64) != 64<<8-1 {
		t.Errorf("of the least and the most: %d, %d", logarithm(0), logarithm(math.MaxUint64))
	}
}

// Goroutines set bits concurrently; exactly these are set, and none after the end of the row.
func TestRow(t *testing.T) {
	for _, marker := range []uint64{0, 1, 62, 63, 64, 65, 127, 128, 1000} {
		const guard = 1<<63 + 1
		block := make([]uint64, RowSize(marker)/8+1)
		block[len(block)-1] = guard
		r := (*Row)(unsafe.Pointer(&block[0]))
		r.Begin(marker)
		set := make([]bool, marker+1)
		for i := range set {
			set[i] = rand.IntN(2) == 0
		}
		set[marker] = true
		var wg sync.WaitGroup
		for range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range set {
					if set[i] {
						r.Add(uint64(i))
					}
				}
			}()
		}
		wg.Wait()
		for i := range set {
			if r.Has(uint64(i)) != set[i] {
				t.Errorf("row %d: bit %d is %t", marker, i, !set[i])
			}
		}
		if block[len(block)-1] != guard || block[2] != marker || block[3] != marker+1 {
			t.Errorf("row %d: %x", marker, block)
		}
	}
}
