//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// Somebody outside may change the rate while windows open and close. What was recorded at one rate is a sample of
// the time in which it was that rate, so a marker records under another index from then on, and its BlockSample says of
// which time. Of a counter that counts in windows there is a BlockTick for each.

// mostRates is how often the rate may change. What is recorded at later ones is taken for a sample at the last of these.
const mostRates = 64

// A baseline is what the header said at some time: for how many ticks the run had been profiling, how much of that
// recording took of windows, how long windows or, for counters, counters had been open, and how many batches there had been.
type baseline struct{ profiled, taken, open, batches uint64 }

// A period is when something is a sample, as words of a block. until.profiled is 0 as long as it is.
type period struct{ since, until baseline }

// baselineNow is the baseline that begins now; open is where in the header it is added up how long windows were.
//
//go:norace
func baselineNow(open uintptr) baseline {
	return baseline{
		profiled: profiledTicks(),
		taken:    atomic.LoadUint64(headerWord(layout.OffWindowTaken)),
		open:     atomic.LoadUint64(headerWord(open)),
		batches:  atomic.LoadUint64(headerWord(layout.OffBatches)),
	}
}

// profiledTicks is for how many ticks the run has been profiling.
//
//go:norace
func profiledTicks() uint64 {
	ticks := atomic.LoadUint64(headerWord(layout.OffProfiled))
	if State() == layout.StateProfiling {
		ticks += less(now(), atomic.LoadUint64(headerWord(layout.OffSince)))
	}
	return ticks
}

// end ends the period. Who reads the file meanwhile sees all of that or nothing.
func (p *period) end(at baseline) {
	p.until.taken, p.until.open, p.until.batches = at.taken, at.open, at.batches
	atomic.StoreUint64(&p.until.profiled, at.profiled)
}

// over says whether the period has ended.
func (p *period) over() bool { return p.until.profiled != 0 }

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
	s.add()
	begun := s.rate != 0
	s.rate = n
	if begun && s.rates < mostRates {
		s.rates++
		resample()
		resampleCounters()
	}
}

// resample has all markers that are sampled begin another period. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func resample() {
	b := baselineNow(layout.OffWindowTicks)
	for k := range tables { // those that have not been passed yet will be sampled from now on
		for i, at := range tables[k].sampledAt {
			if at != nil {
				tables[k].sampledAt[i] = &b
			}
		}
	}
	for i := range rated {
		r := &rated[i]
		switch m := live[r.index-firstIndex]; {
		case r.over():
		case r.before.n == 0: // a time in which nothing was seen shows nothing that is not in the one to come
			r.since = b
		case loadWord(&m.index)&layout.IndexMask == r.index && nextIndex < maxIndex:
			if next := anotherIndex(r.index); beginSampling(next, b) {
				rated[i].end(b)
				addWord(&m.index, next-rated[i].index)
			}
		}
	}
}

var (
	_ = [1]struct{}{}[unsafe.Sizeof(period{})-(layout.SampleSize-layout.OffSampleSince)]
	_ = [1]struct{}{}[unsafe.Sizeof(period{})-(layout.TickSize-layout.OffTickSince)]
)
