//go:build markgen_virtual && !markgen_off

package perf

import (
	"runtime"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// hasOpen says whether scopes begin by Open, which nothing may end.
const hasOpen = true

// hasCounters says whether tables may have counters.
const hasCounters = true

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

// beneath returns the running g and the depth of the innermost frame that can have open scopes, in
// words of stack: deeper frames belong to this package and to its callers at the end of a program.
//
//go:norace
func beneath() (g uintptr, words uint32) {
	var calls [maxCalls]call
	g, n, whole := walk(&calls)
	own := ""
	for _, c := range calls[:n] {
		f := runtime.FuncForPC(c.pc - 1)
		if f == nil {
			return g, 1<<32 - 1
		}
		// Name of the frame's function: the one at c.pc may be inlined there
		name := runtime.FuncForPC(f.Entry()).Name()
		if own == "" {
			own = packageOf(name)
		}
		switch packageOf(name) {
		case own, "runtime", "internal/runtime/exithook":
		default:
			if name != "os.runtime_beforeExit" {
				return g, c.words
			}
		}
	}
	if !whole {
		return g, 1<<32 - 1
	}
	return g, 0
}

// packageOf returns the import path in the name of a function.
func packageOf(name string) string {
	slash := 0
	for i := range len(name) {
		if name[i] == '/' {
			slash = i
		}
	}
	base, _ := lite.Cut(name[slash:], '.')
	return name[:slash+len(base)]
}
