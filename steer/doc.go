// Package steer changes what a running marked program collects, from outside,
// through its data file alone: the program maps the file, so does this package, and
// both change its words by atomic operations (runtime/layout has them). Nothing
// is sent, and nothing in the program waits for it.
//
//	p, err := steer.Open("4711", "") // a process ID or a data file
//	if err != nil { … }
//	defer p.Close()
//	err = p.Pause()
//	…
//	err = p.Set("only=*.parse*")
//	err = p.Resume()
//
// # Promises
//
// Only the owner of the file may steer. No word is written that was not found, and
// checked, to be one of those that steer: the state with its two figures, the rate
// of sampling, and the words of markers. The file is never made shorter or longer.
// A file that is no data file, is damaged, or belongs to a process that is gone is an
// error and stays as it is.
//
// A change of state is one compare-and-swap of the state, and then applied to the
// words of all markers. Whoever changes it, here or in the program, applies the
// newest until it stays the same meanwhile, so that any number may do so at once, and
// may be killed in between: the next one who steers finishes what was begun.
//
// # Limits
//
// Counters, the markers that have no word of their own (lines of kind c and b in the
// tables), follow the state at the next passage of another marker. If there is none for 0.1 s after the state was
// changed to paused or stopped, they go on counting. What a program collects in memory, because it has no file
// or the file could not grow, is out of reach. Systems where programs do not map
// their data file are not supported.
package steer
