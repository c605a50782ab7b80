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

// moveUp gives the descriptor a higher number, so that the first files of the
// program have the numbers they would have without us. The kernel's table has
// room for 64 to begin with; making it larger takes some 10 ms in a process with
// threads.
func moveUp(fd int) int {
	const lowest = 60
	n, _, e := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, lowest)
	if e != 0 {
		return fd
	}
	syscall.Close(fd)
	return int(n)
}
