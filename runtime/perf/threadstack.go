//go:build !markgen_off

package perf

import "github.com/markgen/markgen/runtime/layout"

// What is due to a timer is called by the Go runtime on the stack of a thread, which is no goroutine's (time.sendTime and time.goFunc, from
// unlockAndRun in runtime/time.go), and so are functions of package time that these call. Where they are marked, markers are passed there. Nobody
// may wait there, which ends the program, nor use much stack. So what can't be recorded there at once, without the lock, is lost, and counts as that.

// onThread says whether g is that of a thread's own stack: it has no number. Before it is known where numbers are
// (hot.number) nobody's is.
//
//go:norace
func onThread(g uintptr) bool { return g != 0 && goroutineOf(g) == 0 }

// lostOnThread says whether the caller is on a thread's own stack, and counts what is passed there as lost if so.
//
//go:norace
//go:noinline
func lostOnThread() bool {
	if !onThread(getg()) {
		return false
	}
	if State() == layout.StateProfiling {
		lose()
	}
	return true
}
