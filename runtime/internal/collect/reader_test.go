package collect

import (
	"sync"
	"testing"
	"unsafe"
)

var testLock sync.Mutex

// testProcess is a program with memory.
var testProcess = &Process{
	Lock:   testLock.Lock,
	Unlock: testLock.Unlock,
	Memory: func(size uintptr) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(make([]uint64, size/8+1))) },
}

// open opens a collector, and returns a function that reads it.
func open(t *testing.T, name string) (r *Reader, read func() []uint64) {
	t.Helper()
	for _, c := range Collectors {
		if c.Name == name {
			var missing []string
			if r, missing = c.Open(testProcess); r == nil {
				t.Skipf("%s: %q", name, missing)
			}
		}
	}
	return r, func() []uint64 {
		t.Helper()
		into := make([]uint64, len(r.Values))
		if _, ok := r.Read(new(Scratch), into); !ok {
			t.Fatalf("%s cannot be read", name)
		}
		return into
	}
}

// least returns the minimum growth of a value over several calls of f, as other activity of the
// process does not occur in each of them.
func least(read func() []uint64, value int, f func()) uint64 {
	grown := uint64(1<<64 - 1)
	for range 20 {
		before := read()
		f()
		grown = min(grown, read()[value]-before[value])
	}
	return grown
}

// Every collector either has values and reads them, or says why not.
func TestOpen(t *testing.T) {
	for range 2 { // as in two runs
		for _, c := range Collectors {
			r, missing := c.Open(testProcess)
			if r == nil {
				if len(missing) == 0 {
					t.Errorf("%s has no values, for no reason", c.Name)
				}
				continue
			}
			if _, ok := r.Read(new(Scratch), make([]uint64, len(r.Values))); r.Name == "" || !ok {
				t.Errorf("%q: %q cannot be read", c.Name, r.Name)
			}
		}
		Close()
	}
}

var sink []byte

// Allocation is read, and reading it allocates nothing.
func TestAlloc(t *testing.T) {
	r, read := open(t, "alloc")
	const size = 1 << 20 // has its own spans, so it is counted at once
	if n := least(read, 0, func() { sink = make([]byte, size) }); n < size {
		t.Errorf("%d bytes are allocated, of %d", n, size)
	}
	scratch, into := new(Scratch), make([]uint64, len(r.Values))
	if n := testing.AllocsPerRun(100, func() { r.Read(scratch, into) }); n != 0 {
		t.Errorf("reading allocates %v times", n)
	}
}
