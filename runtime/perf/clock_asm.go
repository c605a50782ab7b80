//go:build !markgen_off && (amd64 || arm64)

package perf

// hasG says whether goroutines can be distinguished.
const hasG = true

// ticks reads the processor's counter: on amd64 the time stamp counter, on arm64 the virtual counter,
// which has one rate on all processors. The read is not fenced: the processor may execute it a few
// ns early, and a fence would cost more than that.
//
//go:noescape
func ticks() uint64

// ticksAndG reads the counter and returns the address of the running g, which identifies
// the goroutine while it exists.
//
//go:noescape
func ticksAndG() (t uint64, gp uintptr)

// ticksAndDepth returns what ticksAndG returns, and the number of bytes of the goroutine's stack in
// use down to at. Unlike an address, the depth does not change when the stack moves, which can
// happen at any call of a Go function, so both ends have to be read here. The upper end is the
// second word of a g (runtime/runtime2.go: the first fields are those that the linker and cgo
// know).
//
//go:noescape
func ticksAndDepth(at *byte) (t uint64, gp, depth uintptr)

// depthOf is ticksAndDepth without the ticks.
//
//go:noescape
func depthOf(at *byte) (gp, depth uintptr)

// frame returns the running g, the caller's frame pointer and the upper end of the stack.
//
//go:noescape
func frame() (gp, fp, hi uintptr)

// stackPointer returns the stack pointer of a function that has called another, which has saved its
// frame pointer, saved, at fp. On amd64 the return address and the saved frame pointer lie between
// the two; on arm64 a frame pointer is one word below the stack pointer.
func stackPointer(fp, saved uintptr) uintptr {
	if goarch == "amd64" {
		return fp + 16
	}
	return saved + 8
}

//go:noescape
func getg() uintptr
