//go:build markgen_goroot && !markgen_off

package perf

import "internal/runtime/exithook"

// seesExit says whether the end of the process is noticed even if package main has no markers.
const seesExit = true

// atExit makes f run when main returns and when anything calls os.Exit.
func atExit(f func()) {
	exithook.Add(exithook.Hook{F: f, RunOnFailure: true})
}
