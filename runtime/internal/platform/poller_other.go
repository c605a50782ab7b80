//go:build !linux

package platform

// PollerTrouble is not known here.
func PollerTrouble() string { return "" }
