//go:build !markgen_goroot && !markgen_off

package perf

// seesExit says whether the process is seen to end whatever is in its package main.
const seesExit = false

// atExit does nothing here: a module cannot see the process end, so marked main
// packages defer Finish.
func atExit(f func()) {}
