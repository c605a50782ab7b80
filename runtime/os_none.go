//go:build !markgen_off && !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package runtime

import "syscall"

// On the remaining systems there is a report on stderr and nothing else.
const canWriteFiles = false

func wallNS() uint64 { return 0 }

func writeStderr(b []byte) { syscall.Write(2, b) }

func writeWhole(path string, b []byte) (trouble string) {
	return "files are not written on " + goos
}

func absolute(path string) string { return path }

func appName() string { return "app" }
