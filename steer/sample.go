package steer

import (
	"errors"
	"time"

	"github.com/markgen/markgen/runtime/layout"
)

// noWindow in place of a window's width says that the program opens no windows.
const noWindow = 1<<64 - 1

var errStopped = errors.New("the run is stopped; nothing can be changed any more")

// samples tells whether the run can be sampled at another rate.
func (p *Process) samples() error {
	if p.state() == Stopped {
		return errStopped
	}
	if p.countsDown() {
		return errors.New("the program counts passages down (countdown in MARKGEN), at a rate that stays")
	}
	if !p.follows() {
		return errors.New("the words of its markers are not in the data file, and it would not be noticed")
	}
	return nil
}

// countsDown tells whether the program was started with countdown.
func (p *Process) countsDown() bool {
	return p.h.word(layout.OffFlags).Load()&layout.FlagCountdown != 0
}

// sample gives the run another rate. A program that has not sampled so far is told by
// its markers, at the next passage of any of them.
func (p *Process) sample(n uint64) {
	p.h.word(layout.OffSampleN).Store(n)
	if n != 1 && p.h.word(layout.OffWindowWidth).Load() == noWindow {
		p.ask()
	}
}

// ask has the program look at the next passage of any of its markers what has been asked for. The
// code of demoted markers counts and does not look: they are timed again, for a moment.
func (p *Process) ask() {
	for u, words := range p.words {
		for i := range u.Markers {
			words.half(i*layout.MarkerSize + layout.MarkerIndex).Or(layout.IndexOff | layout.IndexAsked)
			clearOff(words.half(i*layout.MarkerSize+layout.MarkerOff), layout.OffDemoted)
		}
	}
}

// patience is how long a program is waited for that passes no marker at all, perhaps, or does not get a processor.
const patience = 100 * time.Millisecond

// awaitHeard waits until the program has looked, if it does soon.
func (p *Process) awaitHeard() {
	for end := time.Now().Add(patience); p.asking() && time.Now().Before(end); {
		time.Sleep(patience / 200)
	}
}

// asking tells whether the program has yet to look.
func (p *Process) asking() bool {
	return p.anyWord(layout.MarkerIndex, func(index uint32) bool { return index&layout.IndexAsked != 0 })
}

// anyWord tells whether is holds for one of the two words of any marker.
func (p *Process) anyWord(which int, is func(uint32) bool) bool {
	for u, words := range p.words {
		for i := range u.Markers {
			if is(words.half(i*layout.MarkerSize + which).Load()) {
				return true
			}
		}
	}
	return false
}
