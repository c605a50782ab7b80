//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/tabletext"
	"github.com/markgen/markgen/runtime/layout"
)

// Counters of what the compiler inlines cost an atomic addition each passage, which
// is much where a function does little else. With sample=1:N they count all passages
// up to about a thousand, and from then on those while gates are open for a window, to another
// word. How long that was is known (OffTickStands).

// A ticking counter is one that counts in windows.
type ticking struct {
	p      *unsafe.Pointer // Counter.P
	before uint64          // its count when the batch began
	gained uint64          // what it has counted in the batch that is added up
	*tick
}

// tick is a BlockTick from its first word on.
type tick struct {
	table, counter uint64
	n              uint64
	w, x, xx       float64 // as in sums
	since          baseline
}

var (
	_ = [1]struct{}{}[unsafe.Offsetof(tick{}.n)-(layout.OffTickCount-layout.OffTickTable)]
	_ = [1]struct{}{}[unsafe.Offsetof(tick{}.since)-(layout.OffTickSince-layout.OffTickTable)]
	_ = [1]struct{}{}[layout.OffTickTable+unsafe.Sizeof(tick{})-layout.TickSize]
)

var (
	tickers   []ticking // under the lock, as what follows
	tickersOn uint64    // tick at which they were turned on; 0: they are off
	oneTick   uint64    // what counting once takes where there is nothing else to do, ticks<<costBits; 0: not measured
)

// counterLook says when to look through all counters for those that have counted often.
type counterLook struct{ next, pause uint64 } // monotonic ns, ns

// The counters are looked through after lookFirst, and then each time after twice as
// long, until that is lookMost or a hundred times as long as looking takes, ns: a
// program counts often from the beginning, or later.
const (
	lookFirst = 500_000
	lookMost  = 5_000_000
)

// due looks through the counters if it is time to, and says when it is again. The caller holds the lock.
//
//go:norace
func (l *counterLook) due() uint64 {
	t := uint64(nanotime())
	if int64(t-l.next) < 0 {
		return l.next
	}
	l.next = t + longestSleep
	if State() == layout.StateProfiling {
		findTicks()
		l.pause = min(max(2*l.pause, lookFirst), max(lookMost, 100*(uint64(nanotime())-t)))
		l.next = t + l.pause
	}
	return l.next
}

// setTicks turns the ticking counters on or off. The caller holds the lock.
//
//go:norace
func setTicks(on bool) {
	if on == (tickersOn != 0) {
		return
	}
	t := now()
	if on {
		tickersOn = t
	} else {
		theSampler.ticking += less(t, tickersOn)
		tickersOn = 0
	}
	keepTicking()
}

// keepTicking makes the counters that tick agree with tickersOn, also after the state has turned
// counters on or off. The caller holds the lock.
//
//go:norace
func keepTicking() {
	for i := range tickers {
		tickers[i].point()
	}
}

// point makes the counter agree with tickersOn.
//
//go:norace
//go:nocheckptr
func (c *ticking) point() {
	var p unsafe.Pointer
	if tickersOn != 0 {
		p = unsafe.Pointer(&c.n)
	}
	storePointer(c.p, p)
}

// findTicks makes the counters tick that have counted often. It goes through all counters. The
// caller holds the lock.
//
//go:norace
//go:nocheckptr
func findTicks() {
	for k := range tables {
		t := &tables[k]
		if t.counters == nil || t.tallies != nil || t.hasBlocks() {
			continue
		}
		cs := unsafe.Slice(t.counted, t.n)
		for i := range cs {
			p := unsafe.Add(t.counters, 8*uintptr(i))
			n := atomic.LoadUint64((*uint64)(p))
			if unsafe.Pointer(cs[i].P) != p || n < sampleAfter {
				continue
			}
			ref := (*unsafe.Pointer)(unsafe.Pointer(&cs[i].P))
			if !beginTicking(uint64(k), uint64(i), ref, baselineNow(layout.OffTickStands)) {
				return
			}
		}
	}
}

// beginTicking makes a counter of a table, whose Counter.P is at p, one that counts in windows; false: there is no
// memory. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func beginTicking(table, counter uint64, p *unsafe.Pointer, since baseline) bool {
	b := newBlock(layout.BlockTick, 0, layout.TickSize)
	if b == nil {
		return false
	}
	one := (*tick)(unsafe.Add(b, layout.OffTickTable))
	one.table, one.counter = table, counter
	one.since = since
	publish(b)
	tickers = append(tickers, ticking{p: p, tick: one})
	tickers[len(tickers)-1].point()
	return true
}

// hasBlocks says whether cover blocks are counted in the table, which are to be
// exact.
//
//go:norace
func (t *table) hasBlocks() bool {
	if t.blocks == 0 {
		t.blocks = 1
		for line, rest := tabletext.Next(unpack(t.text)); line != ""; line, rest = tabletext.Next(rest) {
			if line.Kind() == tabletext.Block {
				t.blocks = 2
				break
			}
		}
	}
	return t.blocks == 2
}

// countedSince is what the counters have counted since it was asked last. The caller holds the lock.
//
//go:norace
func countedSince() (all uint64) {
	for i := range tickers {
		c := &tickers[i]
		n := atomic.LoadUint64(&c.n)
		c.gained = n - c.before
		c.before = n
		all += c.gained
	}
	return all
}

// add adds what the counter has counted in a batch of windows at 1:rate, so many times as long as their net time.
//
//go:norace
func (c *ticking) add(rate, longer float64) {
	w := float64(c.gained) * rate
	x := w * longer
	c.w += w
	c.x += x
	c.xx += x * x
}

// tickCost is what counting once takes, ticks. The caller holds the lock.
//
//go:norace
func tickCost() float64 {
	if len(tickers) == 0 {
		return 0
	}
	if oneTick == 0 {
		oneTick = 1 << 62
		c := Counter{P: &scratch.passes}
		for range 8 {
			a := now()
			for range batch {
				Count(&c)
			}
			oneTick = max(min(oneTick, (now()-a)<<costBits/batch), 1)
		}
	}
	return float64(oneTick) / (1 << costBits)
}

// ticked is what a counter of a table is estimated to have counted since it counts in
// windows only, if it does. The caller holds the lock.
//
//go:norace
func ticked(table, counter uint64) (n uint64, estimated bool) {
	for i := range tickers {
		c := &tickers[i]
		if c.table == table && c.counter == counter {
			estimated = true
			n += uint64(c.since.estimate(c.x, layout.OffTickStands))
		}
	}
	return n, estimated
}
