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

// nanotime returns the runtime's monotonic clock in ns; see runtime/time_nofake.go.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

// modinfo returns what the linker put into the program about its modules, "" if nothing; see
// runtime/debug.go, which passes it to runtime/debug.
//
//go:linkname modinfo runtime/debug.modinfo
func modinfo() string
