//go:build !markgen_off

package perf

import _ "unsafe" // for go:linkname

// procPin forbids preemption and names the processor (P) the goroutine runs
// on; until procUnpin no other goroutine runs there. Both are open to plain
// modules, see the list of known users in runtime/proc.go.
//
//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

// semacquire waits until a number is greater than 0 and takes 1 from it, semrelease adds 1 and wakes one that waits.
// Both are open to plain modules, see runtime/sema.go.
//
//go:linkname semacquire sync.runtime_Semacquire
func semacquire(n *uint32)

//go:linkname semrelease sync.runtime_Semrelease
func semrelease(n *uint32, handoff bool, skipframes int)

// nanotime is the runtime's monotonic clock, ns; see runtime/time_nofake.go.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

// modinfo is what the linker put into the program about its modules, "" if nothing;
// see runtime/debug.go, which hands it to runtime/debug.
//
//go:linkname modinfo runtime/debug.modinfo
func modinfo() string
