// Package clock finds out whether the processor's counter can be used as a clock, its rate, its
// smallest step, and which processor it is. Reading it is left to package perf, where that is part of
// every scope.
//
//	if clock.Usable() {
//		begun := clock.At(ticks, nanotime)
//		…
//		hz := clock.Rate(begun.Hz(clock.At(ticks, nanotime)))
//	}
//
// On amd64 it is the time stamp counter (RDTSC), if the processor calls that invariant (CPUID
// 80000007h: one rate in all power states) and the kernel relies on it. Linux then names tsc, or the
// clock of a hypervisor that is made from it (kvm-clock, hyperv_clocksource_tsc_page, xen), as its clock
// source, and the process may execute the instruction (PR_GET_TSC). macOS and Windows make their clocks
// of an invariant counter. On arm64 it is CNTVCT_EL0.
//
// The rate is what the processor states (CPUID 15h, CNTFRQ_EL0) if that agrees with what is observed
// between two anchors, else what was observed, which is good to 60 ppm after half a millisecond.
package clock

import "math/bits"

// An Anchor is one moment on two clocks: the processor's counter, and the Go runtime's monotonic
// clock in ns.
type Anchor struct{ Tick, Mono uint64 }

// At reads both clocks. Of several tries it takes the shortest, so that a preemption in between
// does not count: the two readings are about 15 ns apart at most.
func At(ticks func() uint64, nanotime func() int64) Anchor {
	var best Anchor
	width := uint64(1<<64 - 1)
	for range 8 {
		a := ticks()
		n := uint64(nanotime())
		b := ticks()
		if w := b - a; w < width {
			width, best = w, Anchor{a + w/2, n}
		}
	}
	return best
}

// Hz is the rate of the counter between two moments, ticks per second; 0 if it makes no sense.
func (a Anchor) Hz(b Anchor) uint64 {
	d, ns := b.Tick-a.Tick, b.Mono-a.Mono
	hi, lo := bits.Mul64(d, 1e9)
	if d == 0 || hi >= ns {
		return 0
	}
	hz, _ := bits.Div64(hi, lo, ns)
	return hz
}

// Rate is the rate that the processor states if it is within 1/2000 of the one measured, else that:
// what is stated is exact, unless a hypervisor scales.
func Rate(measured uint64) uint64 {
	stated := statedHz()
	if stated != 0 && max(stated, measured)-min(stated, measured) < measured/2000 {
		return stated
	}
	return measured
}

// Multiplier is ns per tick of a clock of hz ticks per second, as a 32.32 fixed-point number: its
// relative error is below 2^-30 for clocks up to 4 GHz. Without a rate, ticks are ns.
func Multiplier(hz uint64) uint64 {
	if hz == 0 {
		return 1 << 32
	}
	return (1e9<<32 + hz/2) / hz
}

// Ticks turns ns into ticks of a clock with that multiplier; without one they are the same.
func Ticks(ns, multiplier uint64) uint64 {
	if multiplier == 0 {
		return ns
	}
	hi, lo := bits.Mul64(ns, 1<<32)
	if hi >= multiplier {
		return 1<<64 - 1
	}
	ticks, _ := bits.Div64(hi, lo, multiplier)
	return ticks
}
