//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/lite"
)

// A call is a frame on the stack that has called another: the return address, and the number of
// words of the stack in use down to the callee's arguments.
type call struct {
	pc    uintptr
	words uint32
}

const maxCalls = 64

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

// walk follows the frame pointers, starting from its caller. It returns the running g, the number
// of calls, and whether these are all calls. It calls nothing that could move the stack.
//
//go:norace
//go:nocheckptr
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
