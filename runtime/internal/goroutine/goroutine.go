// Package goroutine reads the Go runtime's structure for a goroutine, its g, without calling the Go
// runtime.
//
//	id, _ := goroutine.Offset(g)   // g is that of the caller
//	number := goroutine.Word(g, id)
package goroutine

import (
	"runtime"
	"unsafe"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/lite"
)

// size is the number of bytes of a g that are searched; a g is larger.
const size = 320

// States of a g (runtime/runtime2.go).
const (
	running = 2      // _Grunning
	dead    = 6      // _Gdead
	scanned = 0x1000 // _Gscan, which the garbage collector sets temporarily
)

// Offset returns the offset of the goroutine's ID in a g, which differs between releases of Go: the
// word after the state "running" (runtime/runtime2.go: atomicstatus, stackLock, goid). g is the
// caller's. hasState says that the word before it is the state. Where this release's layout is
// unknown, it returns the offset of a word with the address of the g itself (sched.g): that address
// then identifies the goroutine, although a later goroutine may have the same one. It returns 0 if
// there is no such word either.
func Offset(g uintptr) (id uintptr, hasState bool) {
	if id = offsetOfID(g); id != 0 {
		return id, true
	}
	for at := uintptr(0); at < size; at += 8 {
		if Word(g, at) == uint64(g) {
			return at, false
		}
	}
	return 0, false
}

// offsetOfID compares the words of the running g with the ID that runtime.Stack prints. It returns 0
// if none or several match.
//
//go:norace
func offsetOfID(g uintptr) (offset uintptr) {
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
	for at := uintptr(first); at < size; at += 8 {
		if state := Word(g, at-8) &^ scanned; state == running && Word(g, at) == id {
			if offset != 0 {
				return 0
			}
			offset = at
		}
	}
	return offset
}

// Word reads the word of a g at an offset.
//
//go:norace
//go:nocheckptr
func Word(g, offset uintptr) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(nil), g+offset))
}

// IsDead reports whether the goroutine of g has ended and its g is not reused. id is the offset of
// the ID, before which the state has to be.
//
//go:norace
func IsDead(g, id uintptr) bool { return Word(g, id-8)&(1<<32-1)&^scanned == dead }

// Initialising reports whether the calling goroutine is initialising packages, for which the Go
// runtime uses doInit1 (runtime/proc.go).
func Initialising() bool {
	pcs := make([]uintptr, 256)
	for skip := 0; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs)
		for frames := runtime.CallersFrames(pcs[:n]); n > 0; {
			f, more := frames.Next()
			if f.Function == "runtime.doInit1" || f.Function == "runtime.doInit" {
				return true
			}
			if !more {
				break
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}
