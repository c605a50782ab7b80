// Package clock finds out whether the processor's counter can be used as a clock, its rate, its
// smallest step, and the processor's model. Package perf reads the counter itself, as part of every
// scope.
//
//	if clock.Usable() {
//		begun := clock.At(ticks, nanotime)
//		…
//		hz := clock.Rate(begun.Hz(clock.At(ticks, nanotime)))
//	}
//
// On amd64 the counter is the time stamp counter (RDTSC), if the processor reports that it is
// invariant (CPUID 80000007h: one rate in all power states) and the kernel relies on it. On Linux
// the clock source is then tsc, or a hypervisor's clock that is based on it (kvm-clock,
// hyperv_clocksource_tsc_page, xen), and the process may execute the instruction (PR_GET_TSC).
// macOS and Windows base their clocks on an invariant counter. On arm64 the counter is CNTVCT_EL0.
//
// The rate is the one that the processor states (CPUID 15h, CNTFRQ_EL0) if it agrees with the rate
// observed between two anchors, else the observed rate, which is good to 60 ppm after half a
// millisecond.
package clock

import "math/bits"

// An Anchor is one moment on two clocks: the processor's counter, and the Go runtime's monotonic
// clock in ns.
type Anchor struct{ Tick, Mono uint64 }

// At reads both clocks. It returns the shortest of several tries, so that a preemption between the
// two readings does not count: they are at most about 15 ns apart.
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

// Hz returns the counter's rate between two moments in ticks per second; 0 if it makes no sense.
func (a Anchor) Hz(b Anchor) uint64 {
	d, ns := b.Tick-a.Tick, b.Mono-a.Mono
	hi, lo := bits.Mul64(d, 1e9)
	if d == 0 || hi >= ns {
		return 0
	}
	hz, _ := bits.Div64(hi, lo, ns)
	return hz
}

// Rate returns the rate that the processor states if it is within 1/2000 of the measured rate, else
// the measured one: a stated rate is exact, unless a hypervisor scales it.
func Rate(measured uint64) uint64 {
	stated := statedHz()
	if stated != 0 && max(stated, measured)-min(stated, measured) < measured/2000 {
		return stated
	}
	return measured
}

// Multiplier returns ns per tick of a clock of hz ticks per second, as a 32.32 fixed-point number:
// its relative error is below 2^-30 for clocks up to 4 GHz. If hz is 0, ticks are ns.
func Multiplier(hz uint64) uint64 {
	if hz == 0 {
		return 1 << 32
	}
	return (1e9<<32 + hz/2) / hz
}

// Ticks converts ns to ticks of a clock with that multiplier; if it is 0, ticks are ns.
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
