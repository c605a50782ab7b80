//go:build !linux

package cpuprofile

// Supported says whether profiles are taken on this system.
const Supported = false

func stopProcessTimer() {}
