package runfile_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"
)

// noise returns an ignored line of random bytes, which can't be compressed: it makes a table's text
// long enough for what it names.
func noise(n int) string {
	rnd := rand.New(rand.NewPCG(7, 7))
	b := make([]byte, n)
	for i := range b {
		b[i] = 11 + byte(rnd.IntN(240))
	}
	return string(b) + "\n"
}

// A small file does not cause large allocations, whatever its table says: a reader allocates at
// most a multiple of the file's size.
func TestExpanded(t *testing.T) {
	const (
		size     = 256 << 10 // as stored
		most     = 200       // times the size, total of allocations
		constant = 8 << 20
	)
	many := func(head, format string, n int) string {
		var text strings.Builder
		text.WriteString(head)
		for i := range n {
			fmt.Fprintf(&text, format, i+1)
		}
		return text.String()
	}
	const head = "p\ta\nf\ta.go\n"
	marker := "m\t%016x\tfunc\t0\t1\t1\t0\t-\t-\t1\ta.F\n"
	for name, text := range map[string]string{
		"markers":            many(head, marker, size/layout.MinMarker-100),
		"more markers":       many(head, marker, size),
		"lines for nothing":  strings.Repeat("m\t\n", size),
		"blocks":             many(head, "b\t0\t%d\t1\t1\t1\t1\n", size/layout.MinLine-100),
		"more blocks":        many(head, "b\t0\t%d\t1\t1\t1\t1\n", size),
		"a long import path": many("p\t"+strings.Repeat("a", size)+"\n", "f\t%d.go\nb\t0\t1\t1\t1\t1\t1\n", size/8),
		"files":              many("p\ta\n", "f\t%d\n", size),
		"sums":               head + "b\t0\t1\t1\t1\t1\t1\t" + strings.Repeat("9+", 4*size) + "9\n",
		"tabs":               head + "b" + strings.Repeat("\t", 8*size) + "\n",
		"guesses":            many(head, "g\t%d\n", size),
	} {
		stored := profiletest.Packed(text)
		if len(stored) < size {
			stored = profiletest.Packed(text + noise(size-len(stored)))
		}
		file := profiletest.Run{Tables: []profiletest.Table{{Stored: stored}}}.File()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "x")
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		took := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %d times the file of %d bytes, %d markers, %d blocks", name, took/uint64(len(file)), len(file), len(p.Markers), len(p.Blocks))
		if took > uint64(most*len(file)+constant) {
			t.Errorf("%s: %d bytes for a file of %d", name, took, len(file))
		}
	}
}
