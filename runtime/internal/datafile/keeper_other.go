//go:build darwin || freebsd || netbsd || openbsd || dragonfly || (linux && 386)

package datafile

// fetch returns -1: these systems have no keepers. Linux on 386 has no system calls for sockets but
// socketcall.
func fetch(key string) int { return -1 }
