//go:build !markgen_off

package perf

import (
	_ "unsafe" // for go:linkname

	"github.com/markgen/markgen/runtime/internal/goroutine"
)

// A goroutine is identified by its g, the Go runtime's structure for it, and by its ID, a word of
// the g whose offset differs between releases of Go. Both are read directly at each scope, without
// calling the Go runtime.

// hasState says whether the word before the ID is the state of the goroutine. It is false where the
// layout of a g is unknown.
var hasState bool

// goidOf returns the ID of the goroutine of g; 0 on a system stack.
//
//go:norace
func goidOf(g uintptr) uint64 { return goroutine.Word(g, hot.goid) }

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
