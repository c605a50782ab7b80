//go:build !markgen_off && !linux && !darwin && !windows

package perf

// appName has no cheap answer here.
func appName() string { return "app" }
