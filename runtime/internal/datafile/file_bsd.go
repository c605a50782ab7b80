//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package datafile

import "syscall"

func reserve(fd int, off, size int64) syscall.Errno { return writeZeros(fd, off, size) }

// MoveUp returns fd unchanged.
func MoveUp(fd int) int { return fd }

// processStart returns 0: any file with this process's ID counts as its own.
func processStart() uint64 { return 0 }

// addSums does nothing: goroutines count in the mapped file until the program has exited, which
// would invalidate any checksum.
func (f *File) addSums(pieces [][]byte) {}

// WriteParts returns false: on these systems texts are copied to memory.
func (f *File) WriteParts(back uintptr, parts [][]byte) bool { return false }
