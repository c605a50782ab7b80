//go:build !linux

package platform

import (
	"syscall"
	_ "unsafe" // for go:linkname
)

// AppName returns the name of the executable as the program was called, without its directory and
// the suffix .exe, or "app" if it has none.
func AppName() string {
	if words := args(); len(words) > 0 && words[0] != "" {
		return programName(words[0])
	}
	return "app"
}

// args returns os.Args.
//
//go:linkname args os.runtime_args
func args() []string

// PollerProblem returns "": it is only implemented for Linux.
func PollerProblem() string { return "" }

// ProcessGone returns false. Only Linux needs it, where rings are drained.
func ProcessGone(pid uint64) bool { return false }

// Privileged reports whether the program has rights that its caller lacks, and so must not act on
// the caller's environment: it would write files as their owner. Where there are no users, both are
// -1.
func Privileged() bool {
	return syscall.Getuid() != syscall.Geteuid() || syscall.Getgid() != syscall.Getegid()
}
