//go:build !markgen_off

package perf

import _ "unsafe" // for go:linkname

// procPin forbids preemption and returns the number of the goroutine's P; until procUnpin no other
// goroutine runs on it. Modules may link to both, see the list of known users in runtime/proc.go.
//
//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

// semacquire waits until *n is greater than 0 and decrements it; semrelease increments it and wakes
// one waiter. Modules may link to both, see runtime/sema.go.
//
//go:linkname semacquire sync.runtime_Semacquire
func semacquire(n *uint32)

//go:linkname semrelease sync.runtime_Semrelease
func semrelease(n *uint32, handoff bool, skipframes int)

// nanotime returns the runtime's monotonic clock in ns; see runtime/time_nofake.go.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

// modinfo returns what the linker put into the program about its modules, "" if nothing; see
// runtime/debug.go, which passes it to runtime/debug.
//
//go:linkname modinfo runtime/debug.modinfo
func modinfo() string
