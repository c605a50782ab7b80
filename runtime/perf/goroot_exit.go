//go:build markgen_goroot && !markgen_off

package perf

import "internal/runtime/exithook"

// seesExit says whether the process is seen to end whatever is in its package main.
const seesExit = true

// atExit has f run when main returns and when anything calls os.Exit.
func atExit(f func()) {
	exithook.Add(exithook.Hook{F: f, RunOnFailure: true})
}
