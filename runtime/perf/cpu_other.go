//go:build !markgen_off && !amd64 && !(linux && arm64) && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package perf

// cpuModel is not known here.
func cpuModel() string { return "" }
