//go:build !markgen_goroot && !markgen_off

package perf

// What an overlay build does by changes to package runtime (goroot_process.go), a module cannot: hook
// the end of the process, and start goroutines that tracebacks and runtime.NumGoroutine leave out.

// seesExit says whether the end of the process is noticed even if package main has no markers.
const seesExit = false

// atExit does nothing; marked main packages defer Finish instead.
func atExit(f func()) {}

// startTimers starts a goroutine that runs timers, in the run of this number.
func startTimers(run uint64) { go timers(run) }
