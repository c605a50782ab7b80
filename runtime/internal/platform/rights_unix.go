//go:build unix && !linux

package platform

import "syscall"

// Privileged reports whether the program has rights that its caller lacks, and so must not act on
// the caller's environment: it would write files as their owner.
func Privileged() bool {
	return syscall.Getuid() != syscall.Geteuid() || syscall.Getgid() != syscall.Getegid()
}
