//go:build !markgen_off && !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package perf

// openIO says that there is nothing to read.
func openIO() reader {
	complain("collect=io: " + goos + " does not tell a process what it reads and writes; left out")
	return reader{}
}

// ioWrote is for systems that count what is written.
func ioWrote(n int) {}
