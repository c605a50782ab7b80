package clock

import "github.com/markgen/markgen/runtime/layout"

// Kind is the counter's kind in the data file.
const Kind = layout.ClockTSC

//go:noescape
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// Usable reports whether the time stamp counter is a clock: it has one rate in every power state
// (CPUID 80000007h, EDX bit 8, "invariant TSC"; Linux calls it constant_tsc and nonstop_tsc; all
// 64-bit processors have this leaf) and the operating system relies on it, too.
func Usable() bool {
	_, _, _, d := cpuid(0x80000007, 0)
	return d&(1<<8) != 0 && systemTrustsTSC()
}

// statedHz returns the counter's frequency, or 0 if the processor does not state it: CPUID 15h has
// the crystal's frequency and the ratio of the two. Leaf 16h is not used, as it is rounded to MHz.
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
