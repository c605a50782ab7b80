//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// Reports show the duration of a marker's first call in the process separately: of the scopes that
// are not inside another of the marker, the first that ends. This costs later scopes nothing: the
// first one has to make a cell or a bucket and takes the slow path anyway, and only the slow path
// leads here.
//
// The first call is unknown if collection did not begin with the process, was interrupted, or was
// limited to other markers for a time, and where only some scopes are timed.

// A firstCall is the first scope of the marker with an index.
type firstCall struct {
	alias   unsafe.Pointer // the index's block; nil if not made yet
	nsPlus1 uint64         // ns+1, as OffAliasFirst; 0 if not known yet, notFirst if it never will be
}

const notFirst = 1<<64 - 1

// fromStart says whether the run began with the process.
var fromStart bool

// sawAll reports whether every scope so far of markers that are on was collected.
//
//go:norace
func sawAll() bool {
	return fromStart && !conf.Waits && header != nil &&
		atomic.LoadUint64(headerWord(layout.OffProfiled)) == 0 && // it was not interrupted
		atomic.LoadUint64(headerWord(layout.OffFlags))&layout.FlagChosen == 0
}

// newFirstCall returns the firstCall of an index that is being assigned at a scope of its marker.
//
//go:norace
func newFirstCall(m *Marker) firstCall {
	if shared.Load(&m.index)&(layout.IndexOffChoice|layout.IndexCounted) != 0 || !sawAll() {
		return firstCall{nsPlus1: notFirst}
	}
	return firstCall{}
}

// show writes f to the data file.
//
//go:norace
//go:nocheckptr
func (f *firstCall) show() {
	if f.alias != nil && f.nsPlus1 != notFirst {
		atomic.StoreUint64((*uint64)(unsafe.Add(f.alias, layout.OffAliasFirst)), f.nsPlus1)
	}
}

// ended notes that a scope of the marker with index i ended after ns, and takes it for the first
// call if there was none. If it is nested in another scope of the marker, that one is the first
// call: firstBit in its record says so, and ended is called when it ends, too.
//
//go:norace
//go:noinline
func (p *slot) ended(i uint32, ns uint64, how uint8) {
	if i < firstIndex {
		return // calibration
	}
	lock()
	defer unlock()
	e := indexed(i)
	if e == nil {
		return
	}
	f := &e.call
	switch {
	case f.nsPlus1 != 0:
	case !sawAll() || hasRate(i):
		f.nsPlus1 = notFirst
	case how&endedNested != 0 && p != nil:
		p.outermost(i)
	default:
		f.nsPlus1 = ns + 1
		f.show()
	}
}

// outermost sets firstBit of the outermost open scope with that index.
//
//go:norace
func (p *slot) outermost(i uint32) {
	s := p.stack.scopes()
	for k := range s.n {
		if r := s.at(k); r.index&^scopeBits == i {
			r.index |= firstBit
			return
		}
	}
}

// discount subtracts the time since tick since, which the runtime spent on its own data, from the
// open scopes.
//
//go:norace
func (p *slot) discount(since uint64) {
	if p != nil {
		if d := now() - since; int64(d) > 0 {
			p.over += d << costBits
		}
	}
}

// discount is slot.discount for the current goroutine.
//
//go:norace
func discount(since uint64) { ownSlot().discount(since) }

// ownSlot returns the goroutine's slot in this run, or nil if there is none.
//
//go:norace
func ownSlot() *slot {
	if !hasG || hot.slots == nil {
		return nil
	}
	return present(getg())
}
