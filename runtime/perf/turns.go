//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// Windows open while the program has a processor, and where others take turns with it that is not all of the time: more of
// it passes in windows than elsewhere, or less, since whoever opens them has a processor in its place first, which another may get next. How much more or less
// tells the processor time that the program uses in them, of which the header has sums; a reader knows from the time that its threads wait for processors how far that may go.
// Of a program that rests it tells nothing, and is left out: its windows have little by chance, or the work that whoever opened them has woken up.
type turns struct {
	used   uint64 // processor time at the beginning of the window, ns; 0: it is not looked at
	opened uint64 // that of the opener
	tick   uint64 // when that was
	opener int32  // the thread that has opened the window
	taken  bool   // the program waited for processors lately
}

var _ = [1]struct{}{}[unsafe.Offsetof(sampler{}.turns)%8]

// takenFrom is which part of the time that it could run the program waits if others take turns with it.
const takenFrom = 1.0 / 8

// Who opens a window takes less than one part in opensIn of it to come to an end, or to find that nobody else has ended it, and less than
// opensMost, ns. A thread that used more has gone on with the program.
const opensIn, opensMost = 3, 150_000

// begin notes how much processor time the process has used when a window opens.
//
//go:norace
func (s *turns) begin() {
	if s.taken && !theSampler.rests.does {
		s.opener = thisThread()
		var used uint64
		used, s.opened = usedTime(s.opener)
		s.tick = now()
		atomic.StoreUint64(&s.used, used)
	}
}

// end adds what it has used when a window ends that should have ended at a tick.
//
//go:norace
func (s *turns) end(at uint64) {
	if atomic.LoadUint64(&s.used) == 0 || int64(at-s.tick) <= 0 {
		return
	}
	of := toNS(at - s.tick)
	used, opened := usedTime(s.opener)
	used = less(used, s.used)
	if opened -= s.opened; opened < min(of/opensIn, opensMost) {
		used = less(used, opened)
	}
	atomic.AddUint64(headerWord(layout.OffTurnsOpen), used)
	atomic.AddUint64(headerWord(layout.OffTurnsOpenOf), of)
	s.used = 0
}

// A sharing is which part of what the program has of processors in windows others take elsewhere, less than 0 where it has more there than in windows, 0 where they do
// not take turns with it, and how far off that may be, as a part of what the program has.
type sharing struct{ taken, unsure float64 }

// part is what the program has elsewhere.
//
//go:norace
func (s sharing) part() float64 { return max(1-s.taken, 1.0/layout.MostPace) }

// sharedUnsure is how far off a sharing may be, as a part of itself.
const sharedUnsure = 0.5

// share is that by what the header has so far, of a run that has been profiling for so many ns, and of whose windows recording leaves such a part. The
// caller holds the lock.
//
//go:norace
func (s *turns) share(profiled, left float64) sharing {
	word := func(offset uintptr) float64 { return float64(atomic.LoadUint64(headerWord(offset))) }
	return sharingOf(word(layout.OffTurnsWaited), word(layout.OffTurnsUsed), word(layout.OffTurnsOf), word(layout.OffTurnsOpen), word(layout.OffTurnsOpenOf), profiled, left)
}

// sharingOf is that by these words. Of a program that rests recording takes more of windows than of others. Package profile
// works it out in the same way where milestones tell nothing.
//
//go:norace
func sharingOf(waited, used, of, in, open, profiled, left float64) sharing {
	if waited == 0 || used == 0 || of == 0 || in == 0 || open == 0 || profiled == 0 {
		return sharing{}
	}
	in /= open
	left = min(max(left, 1.0/layout.MostPace), 1)
	in = max((in-(1-left)*max(in, 1))/left, 0)
	part := 1.0
	if in > 0 {
		part = min(max(used/of/in, used/(used+waited)), layout.MostTurns)
	}
	taken := min((1-part)*min(of/profiled, 1), 1-1.0/layout.MostPace)
	return sharing{taken, sharedUnsure * max(taken, -taken) / (1 - taken)}
}

// add takes in what the program used in the latest ns of time, and waited.
//
//go:norace
func (s *turns) add(used, waited, of uint64) {
	if s.taken && !theSampler.rests.does {
		atomic.AddUint64(headerWord(layout.OffTurnsUsed), used)
		atomic.AddUint64(headerWord(layout.OffTurnsWaited), waited)
		atomic.AddUint64(headerWord(layout.OffTurnsOf), of)
	}
	s.taken = float64(waited) > takenFrom*float64(used+waited)
}
