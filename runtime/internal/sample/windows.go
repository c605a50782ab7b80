package sample

import (
	"math/bits"

	"github.com/markgen/markgen/runtime/internal/random"
)

const (
	// A window of windowCycle/N ns opens every windowCycle on average, or one of idlingCycle/N
	// every idlingCycle if the program idles. A window is never shorter than shortestWindow: its
	// first scopes find nothing in the caches and take some µs longer.
	windowCycle    = 10_000_000
	idlingCycle    = 50_000_000
	shortestWindow = 200_000

	// WholeWindow is what one window that stays open, at 1:1, is counted by, in ns.
	WholeWindow = 80_000_000

	// LeastLead is the least time between opening the gates and the beginning of the window, in ns,
	// which gives the processor back to the program.
	LeastLead = 20_000

	// A program idles if it uses less than idlesBelow/256 of a processor, or its threads wait more
	// often than once in idlesEach ns. Then the time between opening the gates and the beginning of
	// the window is wakeUp ns and a random part of idlingLead ns.
	idlesBelow = 230
	idlesEach  = 1_000_000
	wakeUp     = 1_000_000
	idlingLead = 4_000_000
)

// Windows plans the windows of a run. Times are monotonic, in ns.
type Windows struct {
	random random.Source // 0 if not seeded yet
	looked uint64        // when Plan was last called
	used   uint64        // CPU time of the process by then, ns
	waits  uint64        // voluntary context switches of its threads by then
	busy   uint64        // processors kept busy between the last two calls, times 256; 0 if unknown
	idles  bool          // the program idles at times; false until known
}

// Seeded reports whether Seed was called.
//
//go:norace
func (w *Windows) Seeded() bool { return w.random != 0 }

// Seed sets the seed; 0 is replaced by another, which should differ from run to run.
//
//go:norace
func (w *Windows) Seed(seed, another uint64) {
	w.random = random.Source(seed)
	if w.random == 0 {
		w.random = random.Source(another | 1)
	}
}

// Length returns the length of windows at 1:n.
func (w *Windows) Length(n uint64) uint64 {
	switch {
	case n <= 1:
		return WholeWindow
	case w.idles:
		return max(idlingCycle/n, shortestWindow)
	}
	return max(windowCycle/n, shortestWindow)
}

// Plan returns when the next window at 1:n is to be opened, at a random time after t. used and waits
// are the process's CPU time and voluntary context switches; 0 if unknown.
//
//go:norace
func (w *Windows) Plan(t, n, used, waits uint64) uint64 {
	if took := t - w.looked; took != 0 && w.looked != 0 {
		if used != 0 {
			w.busy = (used-w.used)<<8/took | 1
		}
		w.idles = w.busy < idlesBelow || waits-w.waits > took/idlesEach
	}
	w.looked, w.used, w.waits = t, used, waits
	hi, lo := bits.Mul64(w.Length(n)*(n-1), random.Exponential(w.random.Next()))
	return t + max(hi<<32|lo>>32, 1)
}

// Lead returns the time from t, when the gates of a window at 1:n are opened, to its beginning; it was
// planned for the time planned. What the program does at t is correlated with that. An idle program
// was woken together with the sampler, and does at once what it would have done in the next
// millisecond: Go runs timers up to a millisecond late, and whenever an event wakes it (netpoll in
// runtime/netpoll_epoll.go). In a busy program the sampler was called late, when a goroutine blocked
// or was preempted, and others are about to run. So part of the lead is random; marked code that runs
// during the lead is not recorded.
//
//go:norace
func (w *Windows) Lead(t, planned, n uint64) uint64 {
	least, most := uint64(LeastLead), min(3*(t-planned), w.Length(n)*(n-1)/64)
	if w.idles {
		least, most = wakeUp, idlingLead
	}
	hi, _ := bits.Mul64(most, w.random.Next())
	return least + hi
}
