//go:build !markgen_goroot && !markgen_off

package perf

// seesExit says whether the end of the process is noticed even if package main has no markers.
const seesExit = false

// atExit does nothing here: a module cannot hook the end of the process, so marked main packages
// defer Finish.
func atExit(f func()) {}

// startTimers starts the goroutine timers for a run.
func startTimers(run uint64) { go timers(run) }
