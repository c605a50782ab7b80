//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/datafile"
	"github.com/markgen/markgen/runtime/internal/sample"
	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// With sample=1:N every call of a function is recorded until one of its markers has been executed
// about sampleAfter times. From then on its markers are sampled: they record in windows only, and
// under new indexes, so that what was recorded before stays exact.

// sampleAfter is about the number of scopes after which a marker is sampled.
const sampleAfter = 1000

// A sampledMarker is an index under which a marker is sampled.
type sampledMarker struct {
	index uint32
	n, ns uint64 // scopes in its cells, and their time, when the batch began
	mark  uint64 // changes with each scope
	*sample.Sums
}

// A baseline is a copy of header words from when a marker was first sampled, in ticks: how long the
// run had been profiling, how much of the windows had gone to recording, how much time the windows
// stood for, and the number of batches.
type baseline struct{ profiled, taken, stands, batches uint64 }

var _ = [1]struct{}{}[unsafe.Sizeof(baseline{})-(layout.SampleSize-layout.OffSampleSince)]

// baselineNow returns the current baseline.
//
//go:norace
func baselineNow() baseline {
	return baseline{
		profiled: profiledTicks(),
		taken:    atomic.LoadUint64(headerWord(layout.OffWindowTaken)),
		stands:   atomic.LoadUint64(headerWord(layout.OffWindowStands)),
		batches:  atomic.LoadUint64(headerWord(layout.OffBatches)),
	}
}

// profiledTicks returns how long the run has been profiling, in ticks.
//
//go:norace
func profiledTicks() uint64 {
	ticks := atomic.LoadUint64(headerWord(layout.OffProfiled))
	if State() == layout.StateProfiling {
		ticks += subtract(now(), atomic.LoadUint64(headerWord(layout.OffSince)))
	}
	return ticks
}

var rated []sampledMarker // under the lock

// rateBits has a bit for each index: whether it is sampled.
var rateBits unsafe.Pointer

// bases points to a []uint32 which has, for each index that is not the first of its marker, the
// marker's first index, else 0.
var bases unsafe.Pointer

// baseOf returns the first index of the marker that has index i.
//
//go:norace
//go:noinline
func baseOf(i uint32) uint32 {
	if all := (*[]uint32)(atomic.LoadPointer(&bases)); all != nil && i < uint32(len(*all)) && (*all)[i] != 0 {
		return (*all)[i]
	}
	return i
}

// longEnough returns the []uint32 that at points to, or a longer copy if it has no element i; the
// old slice stays valid, since it may be read concurrently. The caller holds the lock.
//
//go:norace
func longEnough(at *unsafe.Pointer, i uint32) []uint32 {
	all := (*[]uint32)(*at)
	if all == nil || i >= uint32(len(*all)) {
		longer := make([]uint32, 2*i)
		if all != nil {
			copy(longer, *all)
		}
		all = &longer
		atomic.StorePointer(at, unsafe.Pointer(all))
	}
	return *all
}

// hasRate reports whether index i is sampled.
//
//go:norace
//go:nocheckptr
func hasRate(i uint32) bool {
	p := atomic.LoadPointer(&rateBits)
	return p != nil && *(*byte)(unsafe.Add(p, uintptr(i&layout.IndexMask)/8))>>(i%8)&1 != 0
}

// scopeCount returns the number of scopes recorded under an index. The caller holds the lock.
//
//go:norace
//go:noinline
func scopeCount(index uint32) uint64 {
	t := timesOf(index)
	return t.N + t.Passes
}

// sampleAt is called for scopes of a marker that is not sampled yet, and starts sampling it after
// enough scopes. It checks at one scope in 128.
//
//go:norace
func sampleAt(index uint32) {
	const each = 127
	traced := hot.hooks&hookUntimed != 0 // there are no cells with counts
	pid := procPin()
	c := cellOf(pid, index)
	due := traced || c != nil && (c.Latest.P != nil && c.Latest.P.Count&each == 0 || c.Passes&each == each)
	procUnpin()
	if !due {
		return
	}
	lock()
	defer unlock()
	e := indexed(index)
	if e == nil || hasRate(index) {
		return
	}
	n := scopeCount(index)
	if traced {
		e.traced++
		n = uint64(e.traced)
	}
	if n >= sampleAfter {
		sampleGroup(e.marker)
	}
}

// sampleGroup starts sampling of all markers of a function. The caller holds the lock.
//
//go:norace
func sampleGroup(m *Marker) {
	t, i := findTable(m)
	if t == nil {
		return
	}
	if rateBits == nil {
		atomic.StorePointer(&rateBits, datafile.Map(maxIndex/8))
	}
	if rateBits == nil { // there is no memory
		return
	}
	if t.sampledAt != nil && t.sampledAt[i] != nil {
		return // all but this one, which a trigger watches
	}
	gate := t.gate(i)
	if shared.Load(&gate.index)&layout.IndexKept != 0 {
		return // a trigger watches a marker behind it: it is always open
	}
	theSampler.add()
	b := baselineNow()
	if t.sampledAt == nil { // no maps here: the race detector instruments them
		t.sampledAt = make([]*baseline, t.markers)
	}
	for k, g := range t.gates {
		if g != t.gates[i] {
			continue
		}
		t.sampledAt[k] = &b
		other := t.at(uint32(k))
		w := shared.Load(&other.index)
		if w&layout.IndexWatched != 0 {
			continue
		}
		// Where there is one body, each marker's code tests its own word
		gates = append(gates, windowGate{other, t.goesWith(uint32(k))})
		if atomic.LoadUint64(&ownWindow().width) == 0 {
			shared.SetBits(&other.Off, layout.OffByWindow)
		}
		if w&layout.IndexMask == 0 || nextIndex() >= maxIndex {
			continue
		}
		index := anotherIndex(w & layout.IndexMask)
		beginSampling(index, b)
		t.followCalls(uint32(k), index)
		shared.Add(&other.index, index-w&layout.IndexMask)
	}
	atomic.StoreUint64(&windowClosed, now())
	if len(owners) <= fewOwners {
		settleGates()
		shared.ClearBits(&m.Off, layout.OffSettled) // the scope that is beginning is not on the stack yet
	}
}

// anotherIndex assigns a further index to the marker with index of. The caller holds the lock, and
// has checked that one is left.
//
//go:norace
func anotherIndex(of uint32) (index uint32) {
	u := live[of-firstIndex]
	index = newIndex(use{marker: u.marker, number: u.number, first: u.first, call: firstCall{nsPlus1: notFirst}})
	alias(index, uint64(u.number))
	longEnough(&bases, index)[index] = baseOf(of)
	return index
}

// beginSampling makes what is recorded under an index a sample, if there is memory.
//
//go:norace
//go:nocheckptr
func beginSampling(index uint32, since baseline) {
	b := space.New(layout.BlockSample, 0, layout.SampleSize)
	if b == nil {
		return
	}
	*(*uint64)(unsafe.Add(b, layout.OffSampleMarker)) = uint64(index - firstIndex)
	*(*baseline)(unsafe.Add(b, layout.OffSampleSince)) = since
	space.Publish(b)
	rated = append(rated, sampledMarker{
		index: index,
		Sums:  (*sample.Sums)(unsafe.Add(b, layout.OffSampleSums)),
	})
	*(*byte)(unsafe.Add(rateBits, uintptr(index)/8)) |= 1 << (index % 8)
}
