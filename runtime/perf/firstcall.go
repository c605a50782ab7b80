//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// What the first passage of a marker in the process took is kept apart, in its alias:
// the first to end of those that are not inside another of the marker. It is among the
// passages in the cells as well. A passage whose bucket is not there yet takes a slow way
// when it ends, and the first always does; only that way comes here, so that the others
// pay nothing.
//
// Nothing is kept where it is not sure that no passage went before: where collection did
// not begin with the process, was interrupted, or was for other markers in between, and
// where only some passages are timed.

// A firstPassage is what is known of an index.
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

// newFirst is what is known of an index that is handed out now, at a passage of its marker.
//
//go:norace
func newFirst(m *Marker) firstPassage {
	if loadWord(&m.index)&(layout.IndexOffChoice|layout.IndexCounted) != 0 || !sawAll() {
		return firstPassage{took: notFirst}
	}
	return firstPassage{}
}

// show writes into the alias what is known.
//
//go:norace
//go:nocheckptr
func (f *firstPassage) show() {
	if f.alias != nil && f.took != notFirst {
		atomic.StoreUint64((*uint64)(unsafe.Add(f.alias, layout.OffAliasFirst)), f.took)
	}
}

// ended takes note of a passage through the marker of that index that took ns, if none has
// been noted yet. If another is open around it, that is the one: it is told so by a bit of
// its record, and ends here, too.
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

// outermost marks the outermost open scope of that index.
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

// overlook takes the time since then off the scopes that are open around: it went into
// making room for what is recorded.
//
//go:norace
//go:nocheckptr
func (p *slot) overlook(since uint64) {
	if p != nil {
		if d := now() - since; int64(d) > 0 {
			p.over += d << costBits
		}
	}
}

// ownSlot is the goroutine's slot, nil if there is none. Whoever calls may be about to end scopes of a run that is
// over, and goes on with the slot as it was.
//
//go:norace
//go:nocheckptr
func ownSlot() *slot {
	if !hasG || hot.slots == nil {
		return nil
	}
	return present(getg())
}
