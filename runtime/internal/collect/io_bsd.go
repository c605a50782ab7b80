//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package collect

import "syscall"

// On these systems the collector io has the values of getrusage(2) for the process: how often the
// file system had to read from a device and write to one.
var ioValues = []string{"disk_read_ops", "disk_write_ops"}

// openIO returns the reader of io.
func openIO(*Process) (*Reader, []string) {
	return &Reader{Name: "io", Values: ioValues, Read: readIO}, nil
}

// readIO is Read of io.
//
//go:norace
func readIO(_ *Scratch, into []uint64) (where uint64, ok bool) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, false
	}
	into[0], into[1] = uint64(u.Inblock), uint64(u.Oublock)
	return 0, true
}

// Wrote does nothing: written bytes are not counted on these systems.
func Wrote(n int) {}
