//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// Recording takes time in which the program does not get on. If all windows lasted equally long they would show less of what is passed
// often than of the rest, and less of what the program does soon after that, too. So a window lasts until the program has got on as far as
// in every other: the time without what has been recorded in it so far, by what that costs as far as is known. How far they are to get
// follows from how much of the latest ones recording has taken, so that on average they last as long as they are to.
//
// Who finds that a window has lasted for as long as it would if nothing had been recorded looks how much has been, and has it go on
// for as much longer: again and again, each time for less, which may be often where scopes are all that the program does.
type progress struct { // what others read or write, by atomic operations, is aligned for them as it comes first
	need     uint64    // how far the program is to get on in the window, ticks
	half     uint64    // how far it gets on in the first half of the window that is open, where halves are told apart; 0: they are not
	most     uint64    // how long a window lasts at most, ticks
	costs    recording // what each of what is recorded costs, ticks<<costBits
	firsts   uint64    // how many markers are passed in a window, and how many ticks the first passage of each takes besides
	perFirst uint64

	first  uint64    // how many ticks the first half has lasted; 0: it has not ended, or is not told apart
	inHalf uint64    // how many scopes had been recorded by then
	spent  uint64    // what recording had cost in the window when somebody looked last, ticks
	seen   recording // what had been recorded in it by then
	before recording // what had been recorded before the window

	timed       uint64  // need of windows in which scopes are timed
	thin        uint64  // and of thin ones
	lasted, got float64 // ticks of the latest windows, and how far the program got on in them, each window less than the one after it

	looking uint32 // 1: somebody looks, or no window is open
	pace    int    // of Paces, the class that windows are of
	counts  bool   // whether counters are looked at
	begun   bool   // whether anything has been recorded in a window
	guessed bool   // whether what scopes cost has been taken from elsewhere
	limited bool   // whether that would have been too much of the window that is open
}

var _ = [1]struct{}{}[unsafe.Offsetof(sampler{}.progress)%8]

// recording is what has been recorded on all processors, of which only differences mean anything: scopes, passages of thin windows, ticks
// that reading collectors and making cells took, and counts of the counters that count in windows.
type recording struct{ scopes, thin, read, counts uint64 }

const (
	// Each window weighs so much less than the next in how far they are to get.
	fadeWindows = 1 - 1.0/32

	// A window lasts so many times as long at most as the program is to get on in it: a scope costs about as much as the shortest functions take
	// so many times, and it may be thought to cost more than it does.
	mostSlower = layout.MostPace

	// And no more times as long than they are to on average.
	mostLonger = 8

	// Recording is taken to make windows so many times as long as what it leaves of them, until it is known, and that as if half a window had
	// shown it.
	usualSlower = 8

	// Who cannot look, since somebody else does, takes the window to go on if it ended no longer ago than this part of what it is to get.
	goesOnPart = 8
)

// plan has windows that are to last so many ticks get on as far as makes them last that long, by what is known.
//
//go:norace
func (p *progress) plan(width uint64) {
	p.timed, p.thin, p.most, p.pace = width, width, width, 0
	if width >= fromNS(wholeWindow) {
		return // they follow upon each other, and show all
	}
	if p.got == 0 {
		p.got, p.lasted = float64(width)/usualSlower/2, float64(width)/2
	}
	slower := min(max(p.lasted/p.got, 1), mostSlower)
	p.timed = max(uint64(float64(width)/slower), 1)
	if p.costs.scopes != 0 {
		slower = 1 + (slower-1)*float64(p.costs.thin)/float64(p.costs.scopes)
	}
	p.thin = max(uint64(float64(width)/slower), 1)
	p.most = min(mostSlower*p.timed, mostLonger*width)
	for p.pace < layout.Paces-1 && 4*width >= layout.PaceLimits[p.pace]*p.timed {
		p.pace++
	}
}

// begin is called before a window opens; thin says whether it is thin, and halved whether its first half is to be told apart. The caller
// holds the lock.
//
//go:norace
func (p *progress) begin(thin, halved bool) {
	p.need = p.timed
	if thin {
		p.need = p.thin
	}
	p.before = recordedSoFar()
	p.before.counts, p.counts = countedSoFar(), uint64(len(tickers)) <= p.need/perTicker
	p.spent, p.seen, p.half, p.first, p.inHalf, p.limited = 0, recording{}, 0, 0, 0, false
	if halved {
		p.half = p.need / 2
	}
	atomic.StoreUint64(&windowLasted, 0)
	atomic.StoreUint32(&p.looking, 0)
}

// width is that of a window in which nothing has been recorded yet, ticks.
//
//go:norace
func (p *progress) width() uint64 {
	if half := atomic.LoadUint64(&p.half); half != 0 {
		return half
	}
	return atomic.LoadUint64(&p.need)
}

// price has recording cost so many ticks a scope, in thin windows a passage, and each count, where so many processors pass something at the same
// time.
//
//go:norace
func (p *progress) price(scope, thin, counting, parallel float64) {
	atomic.StoreUint64(&p.costs.scopes, uint64(scope*(1<<costBits)/parallel))
	atomic.StoreUint64(&p.costs.thin, uint64(thin*(1<<costBits)/parallel))
	atomic.StoreUint64(&p.costs.counts, uint64(counting*(1<<costBits)/parallel))
	atomic.StoreUint64(&p.costs.read, uint64((1<<costBits)/parallel))
}

// ended takes in how long a window has lasted, ticks, and adds to got how far the program got on in it. cut says that it would have lasted for longer.
//
//go:norace
func (p *progress) ended(lasted uint64, cut bool, got *gotOn) {
	left := max(less(lasted, p.spent), lasted/mostSlower)
	// Before the program passes anything windows do not show how it is slowed down; but one that rests, or that others
	// take turns with, would be seen for a moment only, or not at all.
	if p.begun = p.begun || p.seen != (recording{}); p.begun || theSampler.rests.does || theSampler.turns.taken {
		p.lasted = p.lasted*fadeWindows + float64(lasted)
		p.got = p.got*fadeWindows + float64(left)
	}
	seen := lasting{float64(lasted), spending{
		scopes: float64(p.seen.scopes), counts: float64(p.seen.counts), cold: float64(min(p.seen.scopes, p.firsts)), rest: float64(p.seen.read),
	}}
	if (lasted < p.most || left >= p.need) && !p.limited && !cut {
		got.need += float64(p.need)
		got.long.add(&seen)
	} else {
		got.short.add(&seen)
	}
}

// finish ends the window, if nothing that was passed has, or tells that somebody is about to, or how many ticks it has to go on first: it is
// to be asked again then. From its end to the next one's beginning nobody looks.
//
//go:norace
func (w *window) finish() (rest uint64) {
	p := &theSampler.progress
	if !atomic.CompareAndSwapUint32(&p.looking, 0, 1) {
		return fromNS(askAgain)
	}
	if width := atomic.LoadUint64(&w.width); width != 0 && width != unpassed {
		after := now() - atomic.LoadUint64(&w.from)
		if int64(after) > 0 && after > width {
			wider := p.look(after, width)
			atomic.CompareAndSwapUint64(&w.width, width, wider)
			width = wider
		}
		if int64(after) > 0 && after <= width {
			rest = max(width-after, 1)
		}
	}
	if width := atomic.LoadUint64(&w.width); width != 0 && rest == 0 {
		w.end(width)
	}
	if rest == 0 && atomic.LoadUint64(&windowLasted) == 0 {
		rest = fromNS(askAgain) // who ends it has not got so far
	}
	if rest != 0 {
		atomic.StoreUint32(&p.looking, 0)
	}
	return rest
}

// askAgain is how long who opens windows waits for who looks, or ends one, ns.
const askAgain = 20_000

// goesOn says whether a window of that width goes on at so many ticks after its beginning, by what has been recorded in it. Then it
// is wider from now on. If it does not, it is as wide as it was to be.
//
//go:norace
func (w *window) goesOn(after, width uint64) (on bool) {
	p := &theSampler.progress
	if w != ownWindow() || width == unpassed || width == noWindow {
		return false
	}
	if !atomic.CompareAndSwapUint32(&p.looking, 0, 1) {
		return after-width <= atomic.LoadUint64(&p.need)/goesOnPart
	}
	if now := atomic.LoadUint64(&w.width); now == width {
		wider := p.look(after, width)
		on = after <= wider
		if wider != width && !atomic.CompareAndSwapUint64(&w.width, width, wider) {
			on = false
		}
	} else {
		on = after <= now // somebody else has looked meanwhile
	}
	atomic.StoreUint32(&p.looking, 0)
	return on
}

// look looks what has been recorded in the window until so many ticks after its beginning, and gives how wide it is by that. The caller
// has set looking.
//
//go:norace
func (p *progress) look(after, width uint64) uint64 {
	p.see(after)
	next := p.need
	if p.half != 0 {
		next = p.half
	}
	if p.counts && after > next+p.spent && p.most > next+p.spent {
		lock()
		if tickersOn != 0 {
			p.seen.counts = countedSoFar() - p.before.counts
			p.spent = p.cost(after)
		}
		unlock()
	}
	if p.half != 0 {
		if half := p.half + p.spent; after <= half && half <= p.most {
			return max(half, width)
		}
		p.first, p.inHalf = max(min(p.half+p.spent, after), width), p.seen.scopes
		atomic.StoreUint64(&p.half, 0)
	}
	return max(min(p.need+p.spent, p.most), width)
}

// see sees what has been recorded in the window until so many ticks after its beginning, but for counts.
//
//go:norace
func (p *progress) see(after uint64) {
	now := recordedSoFar()
	p.seen.scopes = uint64(uint32(now.scopes - p.before.scopes))
	p.seen.thin, p.seen.read = now.thin-p.before.thin, now.read-p.before.read
	p.spent = p.cost(after)
}

// cost is what recording that has been seen has cost until so many ticks after the window's beginning, ticks.
//
//go:norace
func (p *progress) cost(after uint64) uint64 {
	n, costs := &p.seen, &p.costs
	firsts := min(n.scopes+n.thin, atomic.LoadUint64(&p.firsts)) * atomic.LoadUint64(&p.perFirst)
	if n.scopes == 0 {
		firsts = uint64(coldThin * float64(firsts))
	}
	each := (n.scopes*atomic.LoadUint64(&costs.scopes) + n.thin*atomic.LoadUint64(&costs.thin)) >> costBits
	rest := firsts + (n.read*atomic.LoadUint64(&costs.read)+n.counts*atomic.LoadUint64(&costs.counts))>>costBits
	most := scopeMost
	if n.scopes == 0 {
		most = scopeMost * thinMostly / (1 - scopeMost + scopeMost*thinMostly)
	}
	limit := uint64(most * float64(less(after, rest)))
	if p.limited = p.guessed && each > limit; p.limited {
		each = limit
	}
	return rest + each
}

// perTicker is how far the program is to get on in a window for each counter there is, ticks, for counters to be looked at.
const perTicker = 1000

// recordedSoFar is what has been recorded. Of scopes only the lowest 32 bits are known.
//
//go:norace
func recordedSoFar() (r recording) {
	for k := range usedShards {
		s := &shards[k]
		r.scopes += uint64(s.recorded)
		r.thin += s.thin
		r.read += s.read
	}
	return r
}

// countedSoFar is what the counters have counted that count in windows. The caller holds the lock.
//
//go:norace
func countedSoFar() (n uint64) {
	for i := range tickers {
		n += atomic.LoadUint64(&tickers[i].n)
	}
	return n
}
