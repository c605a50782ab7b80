//go:build !markgen_off && (darwin || freebsd || netbsd || openbsd || dragonfly)

package perf

import "syscall"

// The collector io has here what getrusage(2) says of the process: how often the
// file system had to read from a device and write to one.
var ioValues = []string{"disk_read_ops", "disk_write_ops"}

// openIO makes the collector ready.
func openIO() reader { return reader{name: "io", values: ioValues, read: readIO} }

// readIO is the collector's reader.
//
//go:norace
func readIO(_ *[scratchWords]uint64, into []uint64) (where uint64, ok bool) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, false
	}
	into[0], into[1] = uint64(u.Inblock), uint64(u.Oublock)
	return 0, true
}

// ioWrote is for systems that count what is written.
func ioWrote(n int) {}
