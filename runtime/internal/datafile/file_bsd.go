//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package datafile

func reserve(fd int, off, size int64) error { return writeZeros(fd, off, size) }

// MoveUp moves nothing.
func MoveUp(fd int) int { return fd }

// fetch gets nothing: there are no keepers here.
func fetch(key string) int { return -1 }

// processStart says that any file which has this process's id is its own.
func processStart() uint64 { return 0 }

// addSums does nothing: programs go on counting in what is mapped until they have exited, and so no
// checksum would hold.
func (f *File) addSums(pieces [][]byte) {}

// WriteParts writes nothing: here texts are copied to memory.
func (f *File) WriteParts(back uintptr, parts [][]byte) bool { return false }
