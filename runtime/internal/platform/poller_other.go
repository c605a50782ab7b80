//go:build !linux && !markgen_off

package platform

// PollerTrouble is not known here.
func PollerTrouble() string { return "" }
