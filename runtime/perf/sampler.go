//go:build !markgen_off

package perf

import (
	"math/bits"
	"runtime"
	"sync/atomic"

	"github.com/markgen/markgen/runtime/layout"
)

// A sampler opens windows at random times, and adds up what they show: not only
// how much, which cells tell, but how much that varies from window to window, from
// which follows how far off an estimate may be. The windows are independent; the
// passages in one of them are not, for what is called once is called again.
type sampler struct {
	turns    turns // first, to be aligned, as is
	progress progress

	open    bool
	cut     bool   // the run has ended in the latest window of the batch, which does not tell what recording costs then
	next    uint64 // when to open a window or to look after it, monotonic ns
	meant   uint64 // when the window that is opened next was to begin, monotonic ns
	at      uint64 // when it begins
	rests   rests
	rate    uint64 // 1:rate, as of the latest window; 0: none has been opened
	drawn   uint64 // and as of when the next one was planned
	lead    uint64 // how much before a window the sampler is to be woken where the program does not rest, ns
	late    uint64 // how late it was called, ns, an average of the latest times
	passing uint64 // on how many processors something was passed in a batch, times 256, an average of the latest ones
	from    uint64 // tick at which the first of the batch began
	width   uint64 // how long windows are to last on average, ticks
	state   uint64 // of the random numbers

	// Windows are added up in batches, as many in one as it takes to make the
	// adding up a hundredth of the time.
	pending uint64 // ticks of windows in the batch
	planned uint64 // how many they were to last on average
	got     gotOn  // how far the program got on in them
	taken   uint64 // ticks of these that opening took from the program; two's complement
	count   uint64 // windows in the batch
	cost    uint64 // ns that the latest adding up took
	added   uint64 // when that was, monotonic ns
	busy    uint64 // which part of the windows lately had something passed in them, times 65536
	later   uint64 // passages that had been recorded outside of windows until then
	laterIn uint64 // of these, those of functions that run marked in thin windows
	read    uint64 // ticks that collectors and making cells had taken of windows until then
	learned learned
	cold    coldStart

	windows uint64 // in which scopes were timed
	choice  uint64 // of these, when chooseThin is to choose again
	paces   spentIn
	ticking spentIn // paces of counters
	look    uint64  // when to look through the counters, monotonic ns
	looked  uint64  // how long after the time before, ns

	milestones milestones
	turned     sharing // by the latest batch
}

// The counters are looked through after lookFirst, and then each time after twice as
// long, until that is lookMost or a hundred times as long as looking takes, ns: a
// program counts often from the beginning, or later.
const (
	lookFirst = 500_000
	lookMost  = 5_000_000
)

// A window is looked after as long after its end as it is itself, or longestLate, ns:
// before that the first passage ends it. Where the program rests it is restingLate: who looks wakes it up, and with it what has begun to sleep
// in the window and would have slept on until Go had looked for timers.
const (
	longestLate = 1_000_000
	restingLate = 2_000_000
)

// theSampler is that of the run.
var theSampler sampler

// due opens a window or looks after the one that is open, and looks through the
// counters, if it is time to, and says when it should be asked again, on the
// monotonic clock.
//
//go:norace
func (s *sampler) due() uint64 {
	wasOpen := s.open
	next := s.windowDue()
	if s.open && !wasOpen { // what can wait would take the processor from what passes in the window
		s.turns.begin()
		return next
	}
	lock()
	settleGates(true)
	if t := uint64(nanotime()); int64(t-s.look) >= 0 {
		s.look = t + longestSleep
		if State() == layout.StateProfiling {
			findTicks()
			s.looked = min(max(2*s.looked, lookFirst), max(lookMost, 100*(uint64(nanotime())-t)))
			s.look = t + s.looked
		}
	}
	unlock()
	return min(next, s.look)
}

//go:norace
func (s *sampler) windowDue() uint64 {
	t := uint64(nanotime())
	if !s.open && s.state != 0 && s.drawn != rate() { // somebody has changed it; how long it had been until then has nothing to do with how long it is to be
		s.plan(t + s.pause())
	}
	if int64(t-s.next) < 0 {
		return s.next
	}
	if s.open {
		if rest := ownWindow().finish(); rest != 0 {
			s.next = t + max(2*toNS(rest), s.windowNS(s.rate)/4)
			return s.next
		}
		lasted := atomic.LoadUint64(&windowLasted)
		lock()
		if !s.open { // the run has ended meanwhile
			unlock()
			return s.next
		}
		s.ended(lasted, t)
		if t-s.added > 100*s.cost || s.cold.halved {
			s.add()
			s.chooseMilestones()
		}
		s.milestones.begin()
		unlock()
		measureAgain(now(), 0)
		s.planAfter(t, toNS(lasted))
		return s.next
	}
	if s.state == 0 {
		s.state = scramble(conf.seed)
		if s.state == 0 {
			s.state = (ticks() ^ t) | 1
		}
		s.plan(t + s.pause())
		return s.next
	}
	if State() != layout.StateProfiling {
		s.plan(t + max(s.pause(), shortestWindow))
		return s.next
	}
	s.followRate()
	s.wasLate(t - s.next)
	s.putOff(t)
	ns := s.windowNS(s.rate)
	if width := fromNS(ns); s.count == 0 || width != s.width {
		s.planProgress(width)
	}
	w := ownWindow()
	at := w.begin(s.at)
	if s.from == 0 {
		s.from = w.from
	}
	s.open = true
	s.next = at + ns + min(ns, longestLate)
	if s.rests.does {
		s.next = at + ns + restingLate
	}
	return s.next
}

// ended takes in that the window has ended, after so many ticks, and was looked after at t, monotonic ns. The caller holds the lock.
//
//go:norace
func (s *sampler) ended(lasted, t uint64) {
	s.open = false
	most := min(s.width, fromNS(longestLate), less(now(), atomic.LoadUint64(&windowClosed))) // nothing may have been passed since
	taken := min(atomic.LoadUint64(&opening), most) - min(atomic.LoadUint64(&closing), most)
	s.busy -= s.busy / 16
	if atomic.LoadUint64(&opening) <= lasted {
		s.busy += 65536 / 16
	}
	setTicks(false)
	s.count++
	s.pending += lasted
	planned := s.width
	if s.cut {
		planned = planned * lasted / max(s.progress.width(), lasted)
	}
	s.planned += planned
	if s.learned.sort != thinBatch {
		s.progress.ended(lasted, s.cut, &s.got)
	}
	if s.leavesNone() && !s.turns.taken {
		s.taken += taken
	}
	s.tellHalves(lasted, t)
}

// takeOpen takes in the window that is open as the run ends, or that nobody has looked after since it ended: what has been recorded in it counts as what was in
// others. The caller holds the lock.
//
//go:norace
func (s *sampler) takeOpen() {
	if !s.open {
		return
	}
	w, lasted := ownWindow(), atomic.LoadUint64(&windowLasted)
	if width := atomic.LoadUint64(&w.width); width != 0 {
		after := atomic.LoadUint64(headerWord(layout.OffSince)) - w.from // it was stopped then
		if int64(after) <= 0 || !atomic.CompareAndSwapUint64(&w.width, width, 0) {
			return // it has not begun, or somebody ends it at this moment
		}
		if width == unpassed {
			width = s.progress.width()
		}
		lasted = min(after, width)
		s.cut = lasted < width
		s.progress.see(lasted)
	}
	if lasted != 0 {
		s.ended(lasted, uint64(nanotime()))
	}
}

// planProgress has windows last so many ticks on average from now on. All that are added up together get on equally far.
//
//go:norace
func (s *sampler) planProgress(width uint64) {
	lock()
	s.add()
	s.width = width
	p := &s.progress
	p.plan(width)
	if p.costs.scopes == 0 {
		s.price(&prices{scope: s.learned.usualCost(scopeAlone())}, 1)
	}
	unlock()
}

// price has recording cost so much from now on, where so many processors pass something at the same time.
//
//go:norace
func (s *sampler) price(costs *prices, parallel float64) {
	thin := thinShare(scopeAlone(), float64(thinCost)/(1<<costBits), s.cold.passed)
	s.progress.price(costs.scope.v, thin*costs.scope.v, costs.counting.v, parallel)
	s.progress.guessed = !s.learned.taught()
	atomic.StoreUint64(&s.progress.firsts, uint64(s.cold.passed+0.5))
	atomic.StoreUint64(&s.progress.perFirst, uint64(s.cold.each(scopeAlone()).v))
}

// rate is the N of which one passage in N is to be recorded.
func rate() uint64 { return max(atomic.LoadUint64(headerWord(layout.OffSampleN)), 1) }

// windowNS is how long the windows are, ns, if one passage in n is to be recorded.
func (s *sampler) windowNS(n uint64) uint64 {
	cycle, least := uint64(windowCycle), uint64(shortestWindow)
	switch {
	case n <= 1:
		return wholeWindow
	case s.isLate():
		cycle, least = lateCycle, lateShortest
	case s.rests.does:
		cycle = restingCycle
	case s.turns.taken:
		cycle, least = turnsCycle, turnsShortest
	}
	return max(cycle/n, least, s.coldNS())
}

// pause is how long it is to be between two windows, ns: random.
//
//go:norace
func (s *sampler) pause() uint64 {
	s.rests.look()
	hi, lo := bits.Mul64(s.meanPause(), exponential(s.random()))
	return hi<<32 | lo>>32
}

// meanPause is how long it is on average: such that windows in which scopes are timed make 1/N of the time, whether there are many
// others or few, or what a program does while there are many would count for less.
//
//go:norace
func (s *sampler) meanPause() uint64 {
	n := rate()
	w := s.windowNS(n)
	mean := w * (n - 1)
	if each := s.thinEvery(); each != 0 {
		mean = less(mean, n*w/each)
	}
	return mean
}

// planAfter has the next window begin after the one that has lasted so many ns and been looked after at t. A window that began late, or was looked after late, does
// not put off all that follow: they would be fewer while the machine has other things to do.
//
//go:norace
func (s *sampler) planAfter(t, lasted uint64) {
	at := t + s.pause()
	if !s.isLate() {
		at = max(t, at-min(less(t, s.meant+lasted), s.meanPause()))
	}
	s.plan(at)
}

// plan has the next window begin at a time. What the program does then must have nothing to do with that, and
// who wakes up to open its gates does wake the program: where all of it waits for something, Go looks up to a millisecond late for
// what timers have become due, and also whenever anything else wakes it. So where the program rests the gates are opened
// a random time before, in which such a wake-up is forgotten. Else it is as long before as the sampler was late lately.
//
//go:norace
func (s *sampler) plan(at uint64) {
	s.at, s.meant, s.drawn = at, at, rate()
	lead := s.lead
	if s.rests.does {
		hi, _ := bits.Mul64(longestLead, s.random())
		lead = hi
	}
	s.next = at - min(lead, at)
}

// putOff has the window begin later, at random, where the sampler was called late: all processors were the program's, perhaps, and
// Go has called it when a goroutine waited or had had its turn. What the program does then has very much to do with
// that: others are about to have had their turns. So it has where other programs take turns on them, since the sampler has just
// had one in the program's place, and goes to sleep first. It is put off by a 64th of the time from window to window at most, since what is passed meanwhile
// costs time. t is the time, monotonic ns.
//
//go:norace
func (s *sampler) putOff(t uint64) {
	most := 3 * (t - s.next)
	switch {
	case s.turns.taken && !s.rests.does:
		most = max(most, turnsPutOff)
	case t-s.next <= lateSampler && !s.isLate():
		return
	}
	hi, _ := bits.Mul64(min(most, longestPutOff, s.windowNS(s.rate)*(s.rate-1)/64), s.random())
	s.at = max(s.at, t+hi)
}

// isLate says whether the sampler is called late since the program keeps its processors busy, and not by what else the machine
// does, which may also be why the program gets less than it could use: then it passes something on all of them.
//
//go:norace
func (s *sampler) isLate() bool { return s.late > lateSampler && s.leavesNone() }

// leavesNone says whether the program keeps all of its processors busy, or it is not known whether it does: the sampler takes one
// from it then.
//
//go:norace
func (s *sampler) leavesNone() bool {
	busy := max(s.rests.used, s.passing)
	return s.rests.used == 0 || busy+spareProcessor > uint64(runtime.GOMAXPROCS(0))<<8
}

// wasLate learns from how late the sampler was, ns, how much before a window it should be called.
// What is passed between that and the window's beginning costs time, so it is a 64th of the time from window to window at most.
//
//go:norace
func (s *sampler) wasLate(ns uint64) {
	s.late += min(ns, longestPutOff)/16 - s.late/16 // once is no reason
	if ns += warmUp; ns > s.lead {
		s.lead += (ns - s.lead) / 2
	} else {
		s.lead -= (s.lead - ns) / 16
	}
	s.lead = min(s.lead, windowCycle/64)
}

// random gives the next of a sequence of random numbers (Marsaglia, Xorshift RNGs,
// Journal of Statistical Software 8/14, 2003; the multiplication is Vigna's).
//
//go:norace
func (s *sampler) random() uint64 {
	x := s.state
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	s.state = x
	return x * 0x2545f4914f6cdd1d
}

// exponential makes of a random number one of the exponential distribution with
// mean 1, in 32.32: -ln(u/2^64) = (64 - log2 u)·ln 2. The digits of the logarithm
// come of squaring (Knuth, The Art of Computer Programming 1, 1.2.2, exercise 25).
func exponential(u uint64) uint64 {
	u |= 1
	whole := uint(bits.Len64(u) - 1)
	x := u << (63 - whole) // 1 ≤ x/2^63 < 2
	log := uint64(whole)
	for range 32 {
		hi, lo := bits.Mul64(x, x)
		log <<= 1
		if hi>>63 != 0 {
			log |= 1
			x = hi
		} else {
			x = hi<<1 | lo>>63
		}
	}
	const ln2 = 0xb17217f7 // 32 bits behind the point
	hi, lo := bits.Mul64(64<<32-log, ln2)
	return hi<<32 | lo>>32
}
