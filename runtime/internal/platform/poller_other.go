//go:build !linux

package platform

// PollerProblem returns "": it is only implemented for Linux.
func PollerProblem() string { return "" }
