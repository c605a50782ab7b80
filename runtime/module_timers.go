//go:build !markgen_virtual && !markgen_off

package runtime

// startTimers starts the goroutine of timers for a run.
func startTimers(run uint64) { go timers(run) }
