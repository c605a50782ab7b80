//go:build !markgen_off

package perf

import (
	"runtime"
	"unsafe"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// A goroutine is identified by its g, the Go runtime's structure for it, and by its ID, a word of
// the g whose offset differs between releases of Go. Both are read directly at each scope, without
// calling the Go runtime.

// gSize is the number of bytes of a g that are searched; a g is larger.
const gSize = 320

// hasState says whether the word before the ID is the state of the goroutine. It is false where the
// layout of a g is unknown.
var hasState bool

// States of a g (runtime/runtime2.go).
const (
	running = 2      // _Grunning
	dead    = 6      // _Gdead
	scanned = 0x1000 // _Gscan, which the garbage collector sets temporarily
)

// findGoid returns the offset of the goroutine's ID in a g, for hot.goid: the word after the state
// "running" (runtime/runtime2.go: atomicstatus, stackLock, goid). Where this release's layout is
// unknown, it returns the offset of a word with the address of the g itself (sched.g): that address
// then identifies the goroutine, although a later goroutine may have the same one. It returns 0 if
// there is no such word either.
func findGoid() (offset uintptr) {
	offset = offsetOfGoid()
	if hasState = offset != 0; hasState {
		return offset
	}
	g := getg()
	for at := uintptr(0); at < gSize; at += 8 {
		if gWord(g, at) == uint64(g) {
			return at
		}
	}
	return 0
}

// offsetOfGoid compares the words of the running g with the ID that runtime.Stack prints. It
// returns 0 if none or several match.
//
//go:norace
//go:nocheckptr
func offsetOfGoid() (offset uintptr) {
	const (
		title = "goroutine "
		first = 64
	)
	var b [64]byte
	text := string(b[:runtime.Stack(b[:], false)])
	if len(text) < len(title) || text[:len(title)] != title {
		return 0
	}
	digits, _ := lite.Cut(text[len(title):], ' ')
	id, ok := config.Uint(digits)
	if !ok {
		return 0
	}
	g := getg()
	for at := uintptr(first); at < gSize; at += 8 {
		if state := gWord(g, at-8) &^ scanned; state == running && gWord(g, at) == id {
			if offset != 0 {
				return 0
			}
			offset = at
		}
	}
	return offset
}

// gWord reads the word of a g at an offset.
//
//go:norace
//go:nocheckptr
func gWord(g, offset uintptr) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(nil), g+offset))
}

// goidOf returns the ID of the goroutine of g; 0 on a system stack.
//
//go:norace
//go:nocheckptr
func goidOf(g uintptr) uint64 { return gWord(g, hot.goid) }

// isDead reports whether the goroutine of g has ended and its g is not reused. It may only be
// called if hasState.
//
//go:norace
//go:nocheckptr
func isDead(g uintptr) bool { return gWord(g, hot.goid-8)&(1<<32-1)&^scanned == dead }

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
