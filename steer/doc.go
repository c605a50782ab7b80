// Package steer changes what a running marked program collects, from outside, through its data file
// alone: the program and this package map the file, and both change its words by atomic operations
// (see runtime/layout). No messages are sent, and the program never waits.
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
// Only the owner of the file may steer. The package writes no words except those for steering,
// whose positions it checks: the state with its times, the sampling rate, the flag that markers
// were chosen, the log of state changes, and the words of markers. It never changes the length of
// the file. A file that is not a data file, is damaged, or belongs to a process that has ended is
// an error and is not changed.
//
// A change of state is one compare-and-swap of the state, which is then applied to the words of all
// markers. Whoever changes it, here or in the program, applies the latest state until it no longer
// changes meanwhile. So any number of processes may change it at once, and may be killed in
// between: the next one completes what was begun.
//
// # Limits
//
// Counters, the markers without a word of their own (lines of kind c and b in the tables), follow
// the state at the next call of another marker. If there is none within 0.1 s after the state was
// changed to paused or stopped, they go on counting. Data that a program collects in memory,
// because it has no file or the file could not grow, can't be steered. Systems where programs do
// not map their data file are not supported.
package steer
