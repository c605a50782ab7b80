//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// Somebody outside may change the rate while windows open and close. What was recorded at one rate
// is a sample of the time in which it was that rate, so a marker records under another index for each, and its BlockSample says
// of which time. A rate that comes again is the same again. Of a counter that counts in windows there is a BlockTick for each.

// mostRates is how many rates are told apart. Samples at later ones are taken for samples at the latest of these.
const mostRates = 64

// rates are those that windows were opened at. Under the lock.
var rates []uint64

// A period is when something is a sample, as words of a block. until.profiled is 0 as long as it is.
type period struct{ since, until baseline }

// end ends the period at a baseline, so that it can go on. Who reads the file meanwhile sees all of that or nothing.
func (p *period) end(at baseline) {
	p.until.net, p.until.ticks, p.until.batches = at.net, at.ticks, at.batches
	atomic.StoreUint64(&p.until.profiled, at.profiled)
}

// resume has a period that has ended go on from at as if nothing had been between.
func (p *period) resume(at baseline) {
	p.since = at.less(p.until.less(p.since))
	atomic.StoreUint64(&p.until.profiled, 0)
}

// over says whether the period has ended.
func (p *period) over() bool { return p.until.profiled != 0 }

func (b baseline) less(c baseline) baseline {
	return baseline{b.profiled - c.profiled, b.net - c.net, b.ticks - c.ticks, b.batches - c.batches}
}

// followRate begins the periods of another rate, if somebody has changed it. No window is open. The caller does
// not hold the lock.
//
//go:norace
func (s *sampler) followRate() {
	n := rate()
	if n == s.rate {
		return
	}
	lock()
	defer unlock()
	before := s.rate
	s.rate = n
	known := false
	for _, r := range rates {
		known = known || r == n
	}
	if !known {
		if len(rates) == mostRates {
			return
		}
		rates = append(rates, n)
	}
	if before == 0 { // what has been found until now is sampled from now on
		for i := range rated {
			rated[i].rate = n
		}
		for i := range tickers {
			tickers[i].rate = n
		}
		return
	}
	s.conclude()
	s.milestones = milestones{}
	resample(n)
	retick(n)
}

// resample has all markers that are sampled record at rate n. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func resample(n uint64) {
	b := baselineOf(layout.OffWindowNet, layout.OffWindowTicks, layout.OffBatches)
	for k := range tables { // those that have not been passed yet will be sampled from now on
		for i, at := range tables[k].sampledAt {
			if at != nil {
				tables[k].sampledAt[i] = &b
			}
		}
	}
	for i := range rated {
		r := &rated[i]
		if r.rate == n || r.over() {
			continue
		}
		if r.before.n == 0 { // a time in which nothing was seen shows nothing that is not in the one to come
			r.rate, r.since = n, b
			continue
		}
		m := live[r.index-firstIndex]
		w := loadWord(&m.index)
		if w&layout.IndexMask != r.index || nextIndex >= maxIndex {
			continue
		}
		to := r.next
		for to != i && rated[to].rate != n {
			to = rated[to].next
		}
		if to == i {
			if to = beginSampling(anotherIndex(r.index), b); to < 0 {
				continue
			}
			r = &rated[i]
			rated[to].next, r.next = r.next, to
		} else {
			rated[to].resume(b)
		}
		r.end(b)
		addWord(&m.index, rated[to].index-r.index)
	}
}

// retick is resample for counters.
//
//go:norace
func retick(n uint64) {
	b := ticksBaseline()
	for i := range tickers {
		c := &tickers[i]
		if c.rate == n || c.over() {
			continue
		}
		if atomic.LoadUint64(&c.n) == 0 {
			c.rate, c.since = n, b
			continue
		}
		to := c.next
		for to != i && tickers[to].rate != n {
			to = tickers[to].next
		}
		if to == i {
			if to = beginTicking(c.table, c.counter, c.p, b); to < 0 {
				continue
			}
			c = &tickers[i]
			tickers[to].pace = c.pace
			tickers[to].next, c.next = c.next, to
		} else {
			tickers[to].resume(b)
		}
		c.end(b)
	}
	keepTicking()
}

var (
	_ = [1]struct{}{}[unsafe.Sizeof(period{})-(layout.OffSamplePassed-layout.OffSampleSince)]
	_ = [1]struct{}{}[unsafe.Sizeof(period{})-(layout.OffTickPassed-layout.OffTickSince)]
)
