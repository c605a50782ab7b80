//go:build unix

package main

import "syscall"

// privately calls f, while files that are made are their owner's alone.
func privately(f func() error) error {
	before := syscall.Umask(0o077)
	defer syscall.Umask(before)
	return f()
}
