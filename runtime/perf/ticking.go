//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// Counters of what the compiler inlines cost an atomic addition each passage, which
// is much where a function does little else. With sample=1:N they count all passages
// up to about a thousand, and from then on those in windows, to another word.
// Nothing reads the clock there, so a counter is on from when a window's gates open
// to when who opened them looks after it; how long that was is known (OffTickTicks). In which windows that is, and what it costs, see learned.

// A ticking counter is one that counts in windows.
type ticking struct {
	p      *unsafe.Pointer // Counter.P
	before uint64          // its count when the batch began
	rate   uint64          // 1:rate
	next   int             // the same counter at another rate, in a ring
	gained uint64          // what it has counted in the batch that is added up
	*tick
}

// tick is a BlockTick from its first word on.
type tick struct {
	table, counter uint64
	n              uint64
	nn             float64
	period
	passed paced
	slower float64                        // the sum over what was counted of how many times as long the windows were as what recording left of them
	pace   struct{ all, n, ticks uint64 } // before: in all, and the latest, with the ticks they took
}

var (
	_ = [1]struct{}{}[unsafe.Offsetof(tick{}.n)-(layout.OffTickCount-layout.OffTickTable)]
	_ = [1]struct{}{}[unsafe.Offsetof(tick{}.period)-(layout.OffTickSince-layout.OffTickTable)]
	_ = [1]struct{}{}[layout.OffTickTable+unsafe.Sizeof(tick{})-layout.TickSize]
)

var (
	tickers   []ticking // under the lock, as what follows
	tickersOn uint64    // tick at which they were turned on; 0: they are off
	tickOpen  uint64    // ticks that they were on in the batch
	ticksSeen uint64    // tick at which all counters were looked through last; 0: they have not been
)

// setTicks has the ticking counters count or not. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func setTicks(on bool) {
	if on == (tickersOn != 0) {
		return
	}
	for i := range tickers {
		if tickers[i].over() {
			continue
		}
		var p unsafe.Pointer
		if on {
			p = unsafe.Pointer(&tickers[i].n)
		}
		storePointer(tickers[i].p, p)
	}
	if on {
		tickersOn = now()
	} else {
		tickOpen += less(now(), tickersOn)
		tickersOn = 0
	}
}

// keepTicking is for when the state has turned counters on or off: those that count
// in windows go on doing so.
//
//go:norace
//go:nocheckptr
func keepTicking() {
	for i := range tickers {
		if tickers[i].over() {
			continue
		}
		var p unsafe.Pointer
		if tickersOn != 0 {
			p = unsafe.Pointer(&tickers[i].n)
		}
		storePointer(tickers[i].p, p)
	}
}

// findTicks makes the counters tick that have counted often. It goes through all
// counters, so who calls it does not do so after each window. The caller holds the
// lock.
//
//go:norace
//go:nocheckptr
func findTicks() {
	t0 := now()
	since := t0 - max(ticksSeen, readyAt)
	ticksSeen = t0
	for k := range tables {
		t := &tables[k]
		if t.counters == nil || t.tallies != nil || t.hasBlocks() {
			continue
		}
		cs := unsafe.Slice(t.counted, t.n)
		for i := range cs {
			p := unsafe.Add(t.counters, 8*uintptr(i))
			n := atomic.LoadUint64((*uint64)(p))
			if unsafe.Pointer(cs[i].P) != p || n < often {
				continue
			}
			ref := (*unsafe.Pointer)(unsafe.Pointer(&cs[i].P))
			at := beginTicking(uint64(k), uint64(i), ref, ticksBaseline())
			if at < 0 {
				return
			}
			if since > 0 { // it had been passed less than often when it was looked at before
				pace := &tickers[at].pace
				pace.all, pace.n, pace.ticks = n, n-often+1, since
			}
			var to unsafe.Pointer
			if tickersOn != 0 {
				to = unsafe.Pointer(&tickers[at].n)
			}
			storePointer(ref, to)
		}
	}
}

// beginTicking makes a counter of a table, whose Counter.P is at p, one that counts in windows, and gives its place in
// tickers; -1: there is no memory. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func beginTicking(table, counter uint64, p *unsafe.Pointer, since baseline) int {
	b := newBlock(layout.BlockTick, 0, layout.TickSize)
	if b == nil {
		return -1
	}
	one := (*tick)(unsafe.Add(b, layout.OffTickTable))
	one.table, one.counter = table, counter
	one.since = since
	publish(b)
	tickers = append(tickers, ticking{p: p, rate: theSampler.rate, next: len(tickers), tick: one})
	return len(tickers) - 1
}

// ticksBaseline is baselineOf for counters. The caller holds the lock.
//
//go:norace
func ticksBaseline() baseline {
	return baselineOf(layout.OffTickNet, layout.OffTickTicks, layout.OffTickBatches)
}

// hasBlocks says whether cover blocks are counted in the table, which are to be
// exact.
//
//go:norace
func (t *table) hasBlocks() bool {
	if t.blocks == 0 {
		t.blocks = 1
		for rest := unpack(t.text); rest != ""; {
			var line string
			if line, rest = cut(rest, '\n'); kindOf(line) == 'b' {
				t.blocks = 2
				break
			}
		}
	}
	return t.blocks == 2
}

// ticksGained is what the counters have counted in the batch, which it ends for them. The caller holds the lock.
//
//go:norace
func ticksGained() (all uint64) {
	for i := range tickers {
		c := &tickers[i]
		n := atomic.LoadUint64(&c.n)
		d := n - c.before
		c.before, c.gained = n, d
		c.nn += float64(d) * float64(d)
		all += d
	}
	return all
}

// addTicks adds up a batch in which the counters were on. The caller holds the lock.
//
//go:norace
func addTicks(b *shown, costs *prices) {
	s := &theSampler
	net, slower := s.tellPaces(&s.ticking, &tickPaces, b, costs)
	atomic.AddUint64(headerWord(layout.OffTickTicks), b.lasted)
	atomic.AddUint64(headerWord(layout.OffTickNet), min(net, b.lasted))
	atomic.AddUint64(headerWord(layout.OffTickBatches), 1)
	for i := range tickers {
		c := &tickers[i]
		c.passed[s.progress.pace] += float64(c.gained)
		c.slower += float64(c.gained) * slower
	}
}

// ticked is what a counter of a table is estimated to have counted since it counts in
// windows only, if it does. The caller holds the lock.
//
//go:norace
func ticked(table, counter uint64) (n uint64, estimated bool) {
	for i := range tickers {
		c := &tickers[i]
		if c.table != table || c.counter != counter {
			continue
		}
		estimated = true
		if of, in := shareIn(&c.period, c.passed.weight(layout.OffTickPaces, layout.OffTickTicks), layout.OffTickNet, layout.OffTickTicks); in != 0 {
			n += share(c.n, of, in)
		}
	}
	return n, estimated
}
