//go:build !markgen_off

package perf

import (
	"unsafe" // and for go:linkname

	"github.com/markgen/markgen/runtime/internal/goroutine"
	"github.com/markgen/markgen/runtime/layout"
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

// The Go runtime calls the functions of timers on the system stack of a thread (time.sendTime and
// time.goFunc, from unlockAndRun in runtime/time.go), and these call other functions of package
// time. If those are marked, markers are executed on the system stack, where nothing may block and
// stack is short. What cannot be recorded there at once, without the lock, is counted as lost
// (OffLost).

// onSystemStack reports whether g belongs to a thread: its ID is 0. Before hot.goid is known it
// returns false.
//
//go:norace
func onSystemStack(g uintptr) bool { return g != 0 && goidOf(g) == 0 }

// lostOnSystemStack reports whether the caller is on a system stack, and if so counts a lost scope.
//
//go:norace
//go:noinline
func lostOnSystemStack() bool {
	if !onSystemStack(getg()) {
		return false
	}
	if State() == layout.StateProfiling {
		lose()
	}
	return true
}

// A call is a frame on the stack that has called another: the return address, and the number of
// words of the stack in use down to the callee's arguments.
type call struct {
	pc    uintptr
	words uint32
}

const maxCalls = 64

// walk follows the frame pointers, starting from its caller. It returns the running g, the number
// of calls, and whether these are all calls. It calls nothing that could move the stack.
//
//go:norace
//go:nosplit
//go:noinline
func walk(calls *[maxCalls]call) (g uintptr, n int, whole bool) {
	g, fp, hi := frame()
	for ; n < len(calls); n++ {
		saved, pc := word(fp), word(fp+8)
		if saved == 0 {
			return g, n, true
		}
		if saved <= fp || saved >= hi {
			return g, n, false
		}
		calls[n] = call{pc, uint32((hi - stackPointer(fp, saved)) / 8)}
		fp = saved
	}
	return g, n, false
}

//go:norace
//go:nocheckptr
//go:nosplit
func word(at uintptr) uintptr { return *(*uintptr)(unsafe.Add(unsafe.Pointer(nil), at)) }

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
