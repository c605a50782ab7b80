//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// How long the first passage of a marker in the process took is reported beside the rest: of the
// passages that are not inside another of the marker, the first that ends. It costs other passages
// nothing: the first one has to make a cell or a bucket and takes the slow path anyway, and only
// that leads here.
//
// The first call is unknown if collection did not begin with the process, was interrupted or was
// for other markers in between, and where only some passages are timed.

// A firstPassage is the first passage of the marker of an index.
type firstPassage struct {
	alias unsafe.Pointer // the index's block; nil: it is yet to be made
	took  uint64         // as OffAliasFirst; notFirst: it will not be known
}

const notFirst = 1<<64 - 1

// firstPassages are by index less firstIndex, under the lock.
var firstPassages []firstPassage

// fromStart says whether the run began with the process.
var fromStart bool

// sawAll says whether every passage so far through markers that are on was collected.
//
//go:norace
func sawAll() bool {
	return fromStart && !conf.Waits && header != nil &&
		atomic.LoadUint64(headerWord(layout.OffProfiled)) == 0 && // it has not been interrupted
		atomic.LoadUint64(headerWord(layout.OffFlags))&layout.FlagChosen == 0
}

// newFirst is the firstPassage of an index that is handed out now, at a passage of its marker.
//
//go:norace
func newFirst(m *Marker) firstPassage {
	if loadWord(&m.index)&(layout.IndexOffChoice|layout.IndexCounted) != 0 || !sawAll() {
		return firstPassage{took: notFirst}
	}
	return firstPassage{}
}

// show writes it to the data.
//
//go:norace
//go:nocheckptr
func (f *firstPassage) show() {
	if f.alias != nil && f.took != notFirst {
		atomic.StoreUint64((*uint64)(unsafe.Add(f.alias, layout.OffAliasFirst)), f.took)
	}
}

// ended takes a passage of the marker of that index, which took ns, for the first if there has been
// none. If another is open around it, that one is the first: a bit of its record says so, and it
// ends here, too.
//
//go:norace
//go:nocheckptr
//go:noinline
func (p *slot) ended(i uint32, ns uint64, how uint8) {
	if i < firstIndex {
		return // calibration
	}
	lock()
	defer unlock()
	if uint64(i-firstIndex) >= uint64(len(firstPassages)) {
		return
	}
	f := &firstPassages[i-firstIndex]
	switch {
	case f.took != 0:
	case !sawAll() || hasRate(i):
		f.took = notFirst
	case how&passageNested != 0 && p != nil:
		p.outermost(i)
	default:
		f.took = ns + 1
		f.show()
	}
}

// outermost sets the bit of the outermost open scope of that index.
//
//go:norace
//go:nocheckptr
func (p *slot) outermost(i uint32) {
	s := p.stack.scopes()
	for k := range s.n {
		if r := s.at(k); r.index&^scopeBits == i {
			r.index |= firstBit
			return
		}
	}
}

// discount takes the time since then, which the runtime has spent on its data, off the scopes that
// are open.
//
//go:norace
//go:nocheckptr
func (p *slot) discount(since uint64) {
	if p != nil {
		if d := now() - since; int64(d) > 0 {
			p.over += d << costBits
		}
	}
}

// discount is slot.discount of the goroutine's slot.
//
//go:norace
func discount(since uint64) { ownSlot().discount(since) }

// ownSlot is the goroutine's slot in this run, nil if there is none.
//
//go:norace
//go:nocheckptr
func ownSlot() *slot {
	if !hasG || hot.slots == nil {
		return nil
	}
	return present(getg())
}
