//go:build markgen_goroot && !markgen_off

package perf

import (
	"internal/runtime/exithook"
	"sync/atomic"
	_ "unsafe" // for go:linkname
)

// seesExit says whether the end of the process is noticed even if package main has no markers.
const seesExit = true

// atExit makes f run when main returns and when anything calls os.Exit.
func atExit(f func()) {
	exithook.Add(exithook.Hook{F: f, RunOnFailure: true})
}

// startTimers starts the goroutine timers for a run. The Go runtime treats it as a system
// goroutine, which is neither counted nor listed in the program's own: it goes by the name of the
// goroutine's first function (isSystemGoroutine in runtime/traceback.go).
func startTimers(run uint64) {
	atomic.StoreUint64(&timedRun, run+1)
	go systemTimers() // with an argument, the first function would be a wrapper of another name
}

// timedRun is the run of the goroutine that starts next, plus 1; 0 if it has been claimed.
var timedRun uint64

//go:linkname systemTimers runtime.markgenTimers
func systemTimers() {
	if run := atomic.SwapUint64(&timedRun, 0); run != 0 {
		timers(run - 1)
	}
}
