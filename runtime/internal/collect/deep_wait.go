//go:build markgen_deep && !markgen_off

package collect

import "runtime"

// The collector wait divides a scope's time by what its goroutine did: the deep build's package
// runtime measures the time of each kind of waiting, and run_ns is the rest of the scope's
// duration. So the values add up to the duration, and the cost of markers is not in them.
var waitValues = []string{"run_ns", "sched_ns", "chan_ns", "sync_ns", "io_ns", "sleep_ns", "syscall_ns", "gc_ns", "other_ns"}

// openWait returns the reader of wait, and makes the runtime follow goroutines from now on.
func openWait(*Process) (*Reader, []string) {
	runtime.MarkgenFollow(true)
	return &Reader{Name: "wait", Values: waitValues, Read: readWait, Remainder: true}, nil
}

// Close is called at the end of a run: the runtime no longer follows goroutines. Other collectors
// stay open for the next run.
func Close() { runtime.MarkgenFollow(false) }

//go:norace
func readWait(_ *Scratch, into []uint64) (where uint64, ok bool) {
	procPin() // the goroutine must not wait between reading two words
	g := runtime.Markgen()
	into[0] = 0
	for doing := runtime.MarkgenRunning + 1; doing < runtime.MarkgenDoings; doing++ {
		into[doing] = uint64(g.Spent[doing])
	}
	procUnpin()
	return 0, true
}
