//go:build markgen_goroot && !markgen_off

package perf

import (
	"sync/atomic"
	_ "unsafe" // for go:linkname
)

// startTimers starts the goroutine of timers for a run. The Go runtime counts it among its own, which are neither counted nor
// listed where a program counts its goroutines: it goes by the name of the function that one begins with
// (isSystemGoroutine in runtime/traceback.go).
func startTimers(run uint64) {
	atomic.StoreUint64(&timedRun, run+1)
	go systemTimers() // with an argument it would begin with a function of another name
}

// timedRun is the run that the goroutine which starts next is of, and 1; 0: it has one already.
var timedRun uint64

//go:linkname systemTimers runtime.markgenTimers
func systemTimers() {
	if run := atomic.SwapUint64(&timedRun, 0); run != 0 {
		timers(run - 1)
	}
}
