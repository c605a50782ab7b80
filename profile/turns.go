package profile

import layout "github.com/markgen/markgen/runtime"

// shared is which part of the time in which others took turns with it the program had what it had of processors in windows.
func (r *run) shared() float64 {
	word := func(offset int) float64 { return float64(r.header.word(offset)) }
	waited, used, of := word(layout.OffTurnsWaited), word(layout.OffTurnsUsed), word(layout.OffTurnsOf)
	in, open := word(layout.OffTurnsOpen), word(layout.OffTurnsOpenOf)
	if waited == 0 || used == 0 || of == 0 || in == 0 || open == 0 {
		return 1
	}
	in /= open * openedMore
	if lasted := word(layout.OffWindowTicks); lasted > 0 { // of a program that rests, recording takes more of them
		left := max(word(layout.OffWindowNet)/lasted, 1.0/layout.MostPace)
		in = max((in-(1-left)*max(in, 1))/left, 0)
	}
	if in == 0 {
		return 1
	}
	return min(max(used/of/in, used/(used+waited)), 1)
}

// openedMore is how much more processor time windows are measured to have than the program uses in them, as a program of one goroutine shows that
// gets as much in windows as elsewhere: what opens and ends them is in that.
const openedMore = 1.1

// sharedMost is which part of what others took of processors windows may have had more or less of than is known.
const sharedMost = 0.25
