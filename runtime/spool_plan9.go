//go:build !markgen_off

package runtime

import "syscall"

// makeDir makes a directory; one that there is stays as it is.
func makeDir(dir string) (trouble string) {
	if fd, err := syscall.Open(dir, syscall.O_RDONLY); err == nil {
		syscall.Close(fd)
		return ""
	}
	if err := syscall.Mkdir(dir, 0o700); err != nil {
		return err.Error()
	}
	return ""
}

// addByte is for where dirSize is.
func addByte(path string) {}
