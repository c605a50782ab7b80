//go:build !markgen_off

package perf

import "syscall"

// On Plan 9 there is a report on stderr and nothing else.

func writeStderr(b []byte) { syscall.Write(2, b) }

func writeWhole(path string, b []byte) (trouble string) { return "files are not written on Plan 9" }

func absolute(path string) string { return path }

func readAll(path string, spooled bool) (text []byte, trouble string) {
	return nil, "files are not read on Plan 9"
}

func noFile(trouble string) bool { return false }
