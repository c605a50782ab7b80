//go:build !markgen_off && !unix

package perf

// moreRights says no: there are no setuid programs here.
func moreRights() bool { return false }
