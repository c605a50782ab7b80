package platform

import "syscall"

// ReadFile reads the beginning of a small system file into b and returns the number of bytes, 0 if
// it cannot be read.
func ReadFile(path string, b []byte) int {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	n, err := syscall.Read(fd, b)
	syscall.Close(fd)
	if err != nil {
		return 0
	}
	return n
}
