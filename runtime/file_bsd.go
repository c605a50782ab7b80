//go:build !markgen_off && (darwin || freebsd || netbsd || openbsd || dragonfly)

package runtime

func reserve(fd int, off, size int64) error { return writeZeros(fd, off, size) }

func moveUp(fd int) int { return fd }
