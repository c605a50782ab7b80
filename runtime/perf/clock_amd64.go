//go:build !markgen_off

package perf

// hasG says that goroutines can be told apart.
const hasG = true

// ticks reads the time stamp counter. It is not fenced: the processor may move
// the read by the few ns it looks ahead, and a fence would cost more than
// that.
//
//go:noescape
func ticks() uint64

// ticksAndG reads the time stamp counter and the address of the running g,
// which identifies the goroutine while it lives.
//
//go:noescape
func ticksAndG() (t uint64, gp uintptr)

// ticksAndDepth reads as ticksAndG does, and how much of the goroutine's stack is
// in use down to at, bytes: unlike an address that does not change when the stack
// moves, which it can at any call of a Go function, so that both ends have to be
// read here. The upper end is the second word of a g (runtime/runtime2.go: what the
// linker and cgo know stands first).
//
//go:noescape
func ticksAndDepth(at *byte) (t uint64, gp, depth uintptr)

// depthOf is ticksAndDepth without the ticks.
//
//go:noescape
func depthOf(at *byte) (gp, depth uintptr)

// frame gives the running g, the caller's frame pointer and the upper end of the stack.
//
//go:noescape
func frame() (gp, fp, hi uintptr)

// stackPointer is the stack pointer of a function, whose frame pointer is saved where fp, that of one it has called, points to:
// the return address and the saved frame pointer lie between the two.
func stackPointer(fp, saved uintptr) uintptr { return fp + 16 }

//go:noescape
func getg() uintptr
