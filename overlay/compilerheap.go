package overlay

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
)

// The compiler's collector begins when its heap has 128 MB (cmd/compile/internal/gc,
// Main), which a package of average size passes a few times: of its processor time a
// fifth is the collector's. A larger heap to start with, which the compilers that run
// at a time have room for, spares most of that; it is the collector's own matter from
// there on.
const (
	usualHeap = 128 // MB
	largeHeap = 512 // beyond that there is nothing to gain

	// heapShare is the part of the machine's memory that all compilers together may
	// fill before they collect: one in so many.
	heapShare = 4
)

// startingHeap is how much heap a compiler may have before it collects, MB, where that
// many run at once on a machine with so many bytes of memory; 0: what it takes anyway.
func startingHeap(memory uint64, compilers int) int {
	mb := int(min(memory>>20/heapShare/uint64(compilers), largeHeap))
	mb -= mb % usualHeap
	if mb <= usualHeap {
		return 0
	}
	return mb
}

// heapFlag is the compiler's flag for the heap that it starts with, "" for none: there
// is no memory to spare, or it has no such flag, as those before Go 1.26.
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

// goPercent is GOGC for the go command that builds: its heap is small, and a fifth of its
// processor time is the collector's. The tools that it calls do not get it, not even
// where it is the user's own.
const goPercent = "400"

// goEnviron is the environment of the go command that builds.
func (b *Build) goEnviron() []string {
	if !b.called || getenv(b.environ, "GOGC") != "" || getenv(b.environ, "GOMEMLIMIT") != "" {
		return b.environ
	}
	return setenv(b.environ, "GOGC", goPercent)
}
