//go:build !markgen_off

package perf

import "github.com/markgen/markgen/runtime/layout"

const (
	hardwareClock = layout.ClockTSC
	hasG          = true
)

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

//go:noescape
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// ticksUsable says whether the time stamp counter is a clock: it runs at one
// rate in every power state (CPUID 80000007h, EDX bit 8, "invariant TSC"; what
// Linux calls constant_tsc and nonstop_tsc; all have the leaf that run 64-bit code)
// and the operating system relies on it too.
func ticksUsable() bool {
	_, _, _, d := cpuid(0x80000007, 0)
	return d&(1<<8) != 0 && systemTrustsTSC()
}

// exactHz is the counter's frequency where the processor states it, else 0:
// CPUID 15h gives the crystal's frequency and the ratio of the two. Leaf 16h is
// not used, it is rounded to MHz.
func exactHz() uint64 {
	if top, _, _, _ := cpuid(0, 0); top < 0x15 {
		return 0
	}
	den, num, crystal, _ := cpuid(0x15, 0)
	if den == 0 || num == 0 || crystal == 0 {
		return 0
	}
	return uint64(crystal) * uint64(num) / uint64(den)
}
