//go:build !amd64 && !(linux && arm64) && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package clock

// Model is not known here.
func Model() string { return "" }
