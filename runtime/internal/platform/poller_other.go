//go:build !linux

package platform

// PollerTrouble returns "": it is only implemented for Linux.
func PollerTrouble() string { return "" }
