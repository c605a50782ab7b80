//go:build markgen_deep && !markgen_off

package collect

import "runtime"

// The collector wait tells what goroutines did during a scope: run_ns is what waiting, which the
// deep build's package runtime knows, leaves of the scope's time. So the values add up to that, and
// markers are not in them.
var waitValues = []string{"run_ns", "sched_ns", "chan_ns", "sync_ns", "io_ns", "sleep_ns", "syscall_ns", "gc_ns", "other_ns"}

// openWait gives the reader of wait. What the goroutines do is followed from now on.
func openWait(Process) (Reader, []string) {
	runtime.MarkgenFollow(true)
	return Reader{Name: "wait", Values: waitValues, Read: readWait, Remainder: true}, nil
}

// Close is called at the end of a run: what goroutines do is followed no more. Other collectors
// stay open for the next run.
func Close() { runtime.MarkgenFollow(false) }

//go:norace
func readWait(_ *Scratch, into []uint64) (where uint64, ok bool) {
	procPin() // between two words the goroutine must not wait
	g := runtime.Markgen()
	into[0] = 0
	for doing := runtime.MarkgenRunning + 1; doing < runtime.MarkgenDoings; doing++ {
		into[doing] = uint64(g.Spent[doing])
	}
	procUnpin()
	return 0, true
}
