//go:build !markgen_off && (js || wasip1)

package perf

// Flags of openFD, of which package syscall has none here.
const (
	dontWait = 0
	noFollow = 0
)
