//go:build !amd64 && !(linux && arm64) && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package clock

// Model returns "": the model is unknown on these platforms.
func Model() string { return "" }
