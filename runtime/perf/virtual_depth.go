//go:build markgen_virtual && !markgen_off && (amd64 || arm64)

package perf

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
