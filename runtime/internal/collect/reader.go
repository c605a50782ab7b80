package collect

import "unsafe"

// A Reader reads the counters of one collector.
type Reader struct {
	Name   string   // in the data file
	Values []string // names of the counters, which only grow

	// Read stores the counters of this moment, one for each of Values. Two readings can be compared
	// if where is the same. ok is false if it could not read, and into then may have anything.
	Read func(scratch *Scratch, into []uint64) (where uint64, ok bool)

	Remainder    bool // the first value is what the others leave of the scope's time, ns
	Distribution bool // the data file has how each value is distributed over the scopes
}

// Scratch is memory for system calls, of the goroutine that reads.
type Scratch [32]uint64

// A Process is what Open needs of the program that it reads. Its functions are called by any goroutine.
type Process struct {
	Lock, Unlock func()

	// Memory gives zeroed memory that is never freed, outside of what the race detector watches, so that it
	// orders no goroutines; nil: there is none. The caller has called Lock.
	Memory func(size uintptr) unsafe.Pointer
}

// ProcessAlloc is the name of alloc in the data file where it reads what the process allocates
// instead of the goroutine.
const ProcessAlloc = "process_alloc"

// Collectors are those that there are, in the order in which they are read where a scope begins:
// alloc is the closest to it.
//
// Open makes a collector ready. It returns what cannot be read and why, and a reader of the rest;
// of nothing, it has no values. Opened again, for another run, the collector goes on.
var Collectors = [...]struct {
	Name string // in the variable MARKGEN
	Open func(Process) (r Reader, missing []string)
}{
	{"io", openIO}, {"hw", openHW}, {"wait", openWait}, {"alloc", openAlloc},
}
