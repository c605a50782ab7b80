package collect

import "unsafe"

// A Reader reads the counters of one collector.
type Reader struct {
	Name   string   // in the data file
	Values []string // names of the counters, which only grow

	// Read stores the current counters, one for each of Values. Two readings can be compared if
	// where is the same. If ok is false, reading failed, and the contents of into are undefined.
	Read func(scratch *Scratch, into []uint64) (where uint64, ok bool)

	Remainder    bool // the first value is the scope's time less the other values, ns
	Distribution bool // the data file has a histogram of each value over the scopes
}

// Scratch is memory for system calls of the reading goroutine.
type Scratch [32]uint64

// A Process is what Open needs of the program. Its functions may be called by any goroutine.
type Process struct {
	Lock, Unlock func()

	// Memory returns zeroed memory that is never freed, outside the memory that the race detector
	// watches, so that it orders no goroutines; nil if there is none. The caller has called Lock.
	Memory func(size uintptr) unsafe.Pointer
}

// ProcessAlloc is the name of alloc in the data file where it reads the allocation of the process
// instead of the goroutine.
const ProcessAlloc = "process_alloc"

// Collectors are the built-in collectors, in the order in which they are read where a scope begins:
// alloc is the closest to the scope.
//
// Open prepares a collector. It returns a reader of the values that can be read, nil if none can,
// and which values cannot be read, and why. Opening it again, for another run,
// is allowed: its counters continue.
var Collectors = [...]struct {
	Name string // in MARKGEN
	Open func(*Process) (r *Reader, missing []string)
}{
	{"io", openIO}, {"hw", openHW}, {"wait", openWait}, {"alloc", openAlloc},
}
