//go:build js || wasip1

package datafile

// Flags of OpenFD, which package syscall does not have on these systems.
const (
	dontWait = 0
	noFollow = 0
)
