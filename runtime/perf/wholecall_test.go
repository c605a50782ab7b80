//go:build markgen_virtual && !markgen_off && (amd64 || arm64)

package perf

import (
	"testing"
	"unsafe"
)

// The end of a window leaves gates open if a call that began in it is open and other markers are
// recorded with calls of its function.
func TestCallsOpen(t *testing.T) {
	m := collected(t)
	opened(&m[0], func() {}) // gives it an index
	p := own()
	kept, bits := owners, rateBits
	defer func() { owners, rateBits, functionOf, hasInner = kept, bits, nil, nil }()
	asks := func() bool {
		lock()
		defer unlock()
		owners = []*slot{p}
		return callsOpen()
	}
	list := make([]uint32, 1)
	lead := make([]bool, m[0].index+1)
	lead[m[0].index] = true
	rate := make([]byte, maxIndex/8)
	sample := func() { rate[m[0].index/8] |= 1 << (m[0].index % 8) }
	within := func(what string, want bool) {
		t.Helper()
		if got := asks(); got != want {
			t.Errorf("%s: %v", what, got)
		}
	}
	opened(&m[0], func() {
		within("nothing goes with calls", false)
		functionOf, hasInner = unsafe.Pointer(&list), lead
		within("none is sampled", false)
		rateBits = unsafe.Pointer(&rate[0])
		within("one that began before its function was sampled", false)
		sample()
		within("one that began in a window", true)
		hasInner = nil
		within("one that nothing goes with", false)
		hasInner = lead
	})
	opened(&m[1], func() { within("one that is over", false) })
	owners = make([]*slot, fewOwners+1)
	lock()
	more := callsOpen()
	unlock()
	if !more {
		t.Error("more goroutines than can be looked at: false")
	}
}
