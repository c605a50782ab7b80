//go:build !markgen_off && !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package perf

// moveUp is for systems where descriptors are opened.
func moveUp(fd int) int { return fd }
