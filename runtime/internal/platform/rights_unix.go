//go:build unix && !linux

package platform

import "syscall"

// MoreRights says whether the program has rights that its caller lacks, and so must not do with them what the
// environment says: it would write files in their owner's name.
func MoreRights() bool {
	return syscall.Getuid() != syscall.Geteuid() || syscall.Getgid() != syscall.Getegid()
}
