//go:build !markgen_off

package perf

import "syscall"

// makeDir makes a directory; one that there is stays as it is.
func makeDir(dir string) (made int, trouble string) {
	if fd, err := syscall.Open(dir, syscall.O_RDONLY); err == nil {
		syscall.Close(fd)
		return 0, ""
	}
	if err := syscall.Mkdir(dir, 0o700); err != nil {
		return 0, err.Error()
	}
	return 0, ""
}

// dropDirs is for where makeDir says how many it made.
func dropDirs(dir string, n int) {}

// addByte is for where dirSize is.
func addByte(path string) {}
