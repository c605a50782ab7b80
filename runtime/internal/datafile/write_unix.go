//go:build unix || js || wasip1

package datafile

import (
	"syscall"

	"github.com/markgen/markgen/runtime/layout"
)

// writeInPlace writes b to the device, pipe or link with the name path; these are not replaced. If
// path is the process's own stdout or stderr, /dev/stderr say, it uses that descriptor, so that b
// follows what was written before. done is false if path is none of these.
func writeInPlace(path string, b []byte) (done bool, problem string) {
	var st syscall.Stat_t
	switch {
	case holdsData(path):
		return true, "it is the data file of a run"
	case syscall.Lstat(path, &st) != nil || isKind(&st, syscall.S_IFREG):
		return false, ""
	case othersMade(&st):
		return true, "a link or pipe of another user; give a path where that user makes no files"
	}
	flags := syscall.O_WRONLY
	if isKind(&st, syscall.S_IFLNK) {
		var to, own syscall.Stat_t
		for fd := 1; fd <= 2 && syscall.Stat(path, &to) == nil; fd++ {
			if syscall.Fstat(fd, &own) == nil && own.Dev == to.Dev && own.Ino == to.Ino {
				return true, problemOf(writeAll(fd, b))
			}
		}
	} else {
		flags |= noFollow
	}
	fd, e := OpenFD(path, flags, &st)
	if e == 0 {
		if isKind(&st, syscall.S_IFREG) {
			e = errno(syscall.Ftruncate(fd, 0))
		}
		if e == 0 {
			e = writeAll(fd, b)
		}
		syscall.Close(fd)
	}
	return true, problemOf(e)
}

func rename(from, to string) error { return syscall.Rename(from, to) }

// holdsData reports whether a path leads to a data file.
func holdsData(path string) bool {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil || !isKind(&st, syscall.S_IFREG) {
		return false
	}
	var head [len(layout.Magic)]byte
	return readHead(path, 0, head[:]) == len(head) && string(head[:]) == layout.Magic
}
