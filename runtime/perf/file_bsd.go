//go:build !markgen_off && (darwin || freebsd || netbsd || openbsd || dragonfly)

package perf

func reserve(fd int, off, size int64) error { return writeZeros(fd, off, size) }

func moveUp(fd int) int { return fd }

// fetch gets nothing: there are no keepers here.
func fetch(socket string) int { return -1 }

// processStart says that any file which has this process's id is its own.
func processStart() uint64 { return 0 }

// seal does nothing: programs go on counting in what is mapped until they have exited, and so no checksum would hold.
func (f *openedFile) seal() {}

// fillFile does nothing: here texts are copied to memory.
func fillFile(off, size uintptr, parts []string) bool { return false }
