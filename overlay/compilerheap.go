package overlay

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
)

// The compiler's garbage collector first runs at a heap of 128 MB (cmd/compile/internal/gc, Main).
// A package of average size reaches that a few times, and garbage collection takes a fifth of the
// compiler's CPU time. A larger starting heap, if memory suffices for all compilers running at
// once, avoids most of that; after that the collector runs as usual.
const (
	usualHeap = 128 // MB
	largeHeap = 512 // more gains nothing

	// All compilers together may fill 1/heapShare of the machine's memory before the first
	// collection.
	heapShare = 4
)

// startingHeap returns the heap size in MB up to which a compiler need not collect garbage, for the
// given number of concurrent compilers and bytes of memory; 0 for the compiler's default.
func startingHeap(memory uint64, compilers int) int {
	mb := int(min(memory>>20/heapShare/uint64(compilers), largeHeap))
	mb -= mb % usualHeap
	if mb <= usualHeap {
		return 0
	}
	return mb
}

// heapFlag returns the compiler flag for the starting heap, or "" if there is not enough memory or
// the compiler has no such flag (before Go 1.26).
func (b *Build) heapFlag() string {
	mb := startingHeap(machineMemory(), runtime.GOMAXPROCS(0))
	if mb == 0 || b.env.GOTOOLDIR == "" {
		return ""
	}
	flag := fmt.Sprintf("-d=gcstart=%d", mb)
	cmd := exec.Command(filepath.Join(b.env.GOTOOLDIR, "compile"), flag, "-V")
	cmd.Env = b.environ
	if cmd.Run() != nil {
		return ""
	}
	return flag
}

// goPercent is GOGC for the go command that builds: its heap is small, and garbage collection takes
// a fifth of its CPU time. The tools it runs do not get this value, nor a GOGC of the user's.
const goPercent = "400"

// goEnviron returns the environment of the go command that builds.
func (b *Build) goEnviron() []string {
	if !b.called || getenv(b.environ, "GOGC") != "" || getenv(b.environ, "GOMEMLIMIT") != "" {
		return b.environ
	}
	return setenv(b.environ, "GOGC", goPercent)
}
