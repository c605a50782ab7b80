package steer

import (
	"errors"
	"time"

	"github.com/markgen/markgen/runtime/layout"
)

// noWindow as a window's width says that the program opens no windows.
const noWindow = 1<<64 - 1

var errStopped = errors.New("the run is stopped; nothing can be changed any more")

// samples returns an error if the sampling rate can't be changed.
func (p *Process) samples() error {
	if p.state() == Stopped {
		return errStopped
	}
	if p.countsDown() {
		return errors.New("the program counts scopes down (countdown in MARKGEN), at a rate that stays")
	}
	if p.h.word(layout.OffFlags).Load()&layout.FlagPaths != 0 {
		return errors.New("the program records paths, of which windows see only a part; start it with paths,sample=1:N")
	}
	if !p.follows() {
		return errors.New("the words of its markers are not in the data file, and it would not be noticed")
	}
	return nil
}

// countsDown reports whether the program was started with countdown.
func (p *Process) countsDown() bool {
	return p.h.word(layout.OffFlags).Load()&layout.FlagCountdown != 0
}

// sample changes the sampling rate. A program that has not sampled so far notices at the next call
// of any marker.
func (p *Process) sample(n uint64) {
	p.h.word(layout.OffSampleN).Store(n)
	if n != 1 && p.h.word(layout.OffWindowWidth).Load() == noWindow {
		p.ask()
	}
}

// ask makes the program check for requests at the next call of any marker. The code of demoted
// markers only counts, without checking, so ask has them timed again for a moment.
func (p *Process) ask() {
	for u, words := range p.words {
		for i := range u.Markers {
			words.half(i*layout.MarkerSize + layout.MarkerIndex).Or(layout.IndexOff | layout.IndexControl)
			clearOff(words.half(i*layout.MarkerSize+layout.MarkerOff), layout.OffDemoted)
		}
	}
}

// ackTimeout is the time to wait for a program that may call no marker, or not be scheduled.
const ackTimeout = 100 * time.Millisecond

// awaitAck waits up to ackTimeout until the program has noticed.
func (p *Process) awaitAck() {
	for end := time.Now().Add(ackTimeout); p.unacked() && time.Now().Before(end); {
		time.Sleep(ackTimeout / 200)
	}
}

// unacked reports whether the program has not noticed yet.
func (p *Process) unacked() bool {
	return p.anyWord(layout.MarkerIndex, func(index uint32) bool { return index&layout.IndexControl != 0 })
}

// anyWord reports whether is returns true for the word at offset which of any marker.
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
