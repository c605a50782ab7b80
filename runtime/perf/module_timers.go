//go:build !markgen_goroot && !markgen_off

package perf

// startTimers starts the goroutine of timers for a run.
func startTimers(run uint64) { go timers(run) }
