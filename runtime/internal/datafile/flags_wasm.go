//go:build js || wasip1

package datafile

// Flags of OpenFD, of which package syscall has none here.
const (
	dontWait = 0
	noFollow = 0
)
