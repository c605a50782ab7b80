package datafile

import "syscall"

// On Plan 9, package perf writes a report to stderr, and no files.

func WriteStderr(b []byte) { syscall.Write(2, b) }

func WriteWhole(path string, b []byte) (problem string) { return "files are not written on Plan 9" }

func Absolute(path string) string { return path }

func ReadAll(path string) (text []byte, problem string) { return nil, "files are not read on Plan 9" }

func NoFile(problem string) bool { return false }

// enterSpool creates the directory of a spool, unless it exists. Its size is unknown.
func enterSpool(dir string, room uint64) (made int, problem string) {
	if fd, err := syscall.Open(dir, syscall.O_RDONLY); err == nil {
		syscall.Close(fd)
	} else if err := syscall.Mkdir(dir, 0o700); err != nil {
		return 0, "cannot be " + dir + ": " + err.Error()
	}
	return 0, ""
}
