//go:build unix && !linux

package dual

import "syscall"

// privileged reports whether the program has rights that its caller lacks.
func privileged() bool {
	return syscall.Getuid() != syscall.Geteuid() || syscall.Getgid() != syscall.Getegid()
}
