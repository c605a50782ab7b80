//go:build unix || js || wasip1

package platform

import "syscall"

// WallNS returns the wall clock in ns since the Unix epoch, to the µs.
func WallNS() uint64 {
	var tv syscall.Timeval
	if err := syscall.Gettimeofday(&tv); err != nil {
		return 0
	}
	return uint64(tv.Sec)*1e9 + uint64(tv.Usec)*1e3
}
