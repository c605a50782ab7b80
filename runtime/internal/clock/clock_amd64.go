package clock

import "github.com/markgen/markgen/runtime/layout"

// Kind is what the data file calls the processor's counter.
const Kind = layout.ClockTSC

//go:noescape
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// Usable says whether the time stamp counter is a clock: it runs at one
// rate in every power state (CPUID 80000007h, EDX bit 8, "invariant TSC"; what
// Linux calls constant_tsc and nonstop_tsc; all have the leaf that run 64-bit code)
// and the operating system relies on it too.
func Usable() bool {
	_, _, _, d := cpuid(0x80000007, 0)
	return d&(1<<8) != 0 && systemTrustsTSC()
}

// statedHz is the counter's frequency where the processor states it, else 0:
// CPUID 15h gives the crystal's frequency and the ratio of the two. Leaf 16h is
// not used, it is rounded to MHz.
func statedHz() uint64 {
	if top, _, _, _ := cpuid(0, 0); top < 0x15 {
		return 0
	}
	den, num, crystal, _ := cpuid(0x15, 0)
	if den == 0 || num == 0 || crystal == 0 {
		return 0
	}
	return uint64(crystal) * uint64(num) / uint64(den)
}
