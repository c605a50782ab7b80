//go:build unix

package main

import "syscall"

// privately calls f. Only the owner may access files created meanwhile.
func privately(f func() error) error {
	before := syscall.Umask(0o077)
	defer syscall.Umask(before)
	return f()
}
