package profile

import "github.com/markgen/markgen/runtime/layout"

// shared is how many times what the program had of processors in windows it had in all of the ns that it was profiling, which is less than once or more. Where what is passed between windows
// tells how far it got on in these, that is by what the program took this for.
func (r *run) shared(profiled float64, told bool) float64 {
	if v := r.header.word(layout.OffTurnsShare); told && v != 0 {
		return min(float64(v)/layout.UnsureUnit, layout.MostTurns)
	}
	if told {
		return 1
	}
	return 1 - (1-r.sharedThen())*r.turnsTaken(profiled)
}

// turnsTaken is in which part of the ns that the run was profiling others took turns with the program.
func (r *run) turnsTaken(profiled float64) float64 {
	return min(float64(r.header.word(layout.OffTurnsOf))/max(profiled, 1), 1)
}

// contended is which part of the time that the program could run others had its processors.
func (r *run) contended(profiled float64) float64 {
	waited, used := float64(r.header.word(layout.OffTurnsWaited)), float64(r.header.word(layout.OffTurnsUsed))
	return waited / max(used+waited, 1) * r.turnsTaken(profiled)
}

// sharedThen is shared of that time alone.
func (r *run) sharedThen() float64 {
	word := func(offset int) float64 { return float64(r.header.word(offset)) }
	waited, used, of := word(layout.OffTurnsWaited), word(layout.OffTurnsUsed), word(layout.OffTurnsOf)
	in, open := word(layout.OffTurnsOpen), word(layout.OffTurnsOpenOf)
	if waited == 0 || used == 0 || of == 0 || in == 0 || open == 0 {
		return 1
	}
	in /= open
	if lasted := word(layout.OffWindowTicks); lasted > 0 { // of a program that rests, recording takes more of them
		left := max(word(layout.OffWindowNet)/lasted, 1.0/layout.MostPace)
		in = max((in-(1-left)*max(in, 1))/left, 0)
	}
	if in == 0 {
		return 1
	}
	return min(max(used/of/in, used/(used+waited)), layout.MostTurns)
}

// sharedMost is which part of what others had of processors windows may have had more or less of than is known.
const sharedMost = 0.25
