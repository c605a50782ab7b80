//go:build !markgen_off

package runtime

import "syscall"

// reserve has the file system set the space aside, or writes it where it cannot.
func reserve(fd int, off, size int64) error {
	for {
		switch err := syscall.Fallocate(fd, 0, off, size); err {
		case syscall.EINTR:
		case syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EINVAL:
			return writeZeros(fd, off, size)
		default:
			return err
		}
	}
}

// moveUp gives the descriptor a high number, so that the files of the program
// have the numbers they would have without us.
func moveUp(fd int) int {
	const lowest = 900 // under the usual soft limit of 1024
	n, _, e := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, lowest)
	if e != 0 {
		return fd
	}
	syscall.Close(fd)
	return int(n)
}
