//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/tabletext"
	"github.com/markgen/markgen/runtime/layout"
)

// Counters in inlined functions cost an atomic addition each, which is much where a function does
// little else. With sample=1:N they count every execution up to about a thousand, and from then on
// only executions while gates are open for a window, in another word. The length of these periods
// is recorded (OffTickStands).

// A ticking is a counter that counts in windows only.
type ticking struct {
	p      *unsafe.Pointer // Counter.P
	before uint64          // its count at the beginning of the batch
	gained uint64          // its growth in the latest batch
	*tick
}

// A tick is a BlockTick without the words before the table number.
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
	tickers   []ticking // under the lock, as the next two
	tickersOn uint64    // tick at which they were turned on; 0 if they are off
	oneTick   uint64    // cost of counting once with nothing else to do, ticks<<costBits; 0 if not measured
)

// counterLook schedules the search for counters that have counted often.
type counterLook struct{ next, pause uint64 } // monotonic ns, ns

// findTicks runs after lookFirst ns, then at doubling intervals up to lookMost ns or 100 times its
// own duration, whichever is longer: at most 1 % overhead. A program may begin to count often at any
// time.
const (
	lookFirst = 500_000
	lookMost  = 5_000_000
)

// due runs findTicks if it is time to, and returns when to call it again. The caller holds the
// lock.
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
		theSampler.ticking += subtract(t, tickersOn)
		tickersOn = 0
	}
	keepTicking()
}

// keepTicking makes all ticking counters agree with tickersOn, also after a change of state has
// turned counters on or off. The caller holds the lock.
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

// findTicks goes through all counters and makes those that have counted often tick. The caller
// holds the lock.
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

// beginTicking makes a counter of a table, whose Counter.P is at p, count in windows only. It
// returns false if there is no memory. The caller holds the lock.
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

// hasBlocks reports whether the table counts cover blocks, whose counts have to be exact.
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

// countedSince returns how much the counters have counted since its previous call. The caller holds
// the lock.
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

// add adds the counter's growth in a batch of windows at 1:rate, whose length is longer times their
// net time.
//
//go:norace
func (c *ticking) add(rate, longer float64) {
	w := float64(c.gained) * rate
	x := w * longer
	c.w += w
	c.x += x
	c.xx += x * x
}

// tickCost returns the cost of counting once, in ticks. The caller holds the lock.
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

// ticked returns the estimated count of a counter of a table since it began to count in windows
// only, and whether it does so. The caller holds the lock.
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
