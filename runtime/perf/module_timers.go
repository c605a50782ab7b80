//go:build !markgen_goroot && !markgen_off

package perf

// startTimers starts the goroutine timers for a run.
func startTimers(run uint64) { go timers(run) }
