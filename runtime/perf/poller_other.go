//go:build !linux && !markgen_off

package perf

// pollerTrouble is not known here.
func pollerTrouble() string { return "" }
