//go:build !markgen_off

package runtime

import "math/bits"

// now reads the clock in use, ticks.
//
//go:norace
func now() uint64 {
	if hot.mono {
		return uint64(nanotime())
	}
	return ticks()
}

// toNS turns a duration in ticks into ns, rounded to the nearest. hot.mult is ns per tick
// as a 32.32 fixed-point number: relative error below 2^-30 for clocks up to
// 4 GHz, no overflow below 2^64 ns.
//
//go:norace
func toNS(d uint64) uint64 {
	hi, lo := bits.Mul64(d, hot.mult)
	lo, carry := bits.Add64(lo, 1<<31, 0)
	return (hi+carry)<<32 | lo>>32
}

// multFor gives hot.mult for a clock of hz ticks per second.
func multFor(hz uint64) uint64 {
	if hz == 0 {
		return 1 << 32
	}
	return (1e9<<32 + hz/2) / hz
}

// An anchor is one moment on the hardware clock and on the monotonic clock.
type anchor struct{ tick, mono uint64 }

// takeAnchor reads both clocks, choosing of several tries the one that took
// least, so that a preemption in between does not count.
func takeAnchor() anchor {
	var best anchor
	width := uint64(1<<64 - 1)
	for range 8 {
		a := ticks()
		n := uint64(nanotime())
		b := ticks()
		if w := b - a; w < width {
			width, best = w, anchor{a + w/2, n}
		}
	}
	return best
}

// calibration is how long the rate of the hardware clock is observed before the
// first scope, ns, at least. The ends are known to about 15 ns each, so the rate to about 60 ppm; the
// header carries anchors of the whole run for whoever needs it finer.
const calibration = 500_000

// measureHz is the rate of the hardware clock from the anchor a to now, 0 when it
// makes no sense.
func measureHz(a anchor) uint64 {
	b := takeAnchor()
	d, ns := b.tick-a.tick, b.mono-a.mono
	hi, lo := bits.Mul64(d, 1e9)
	if d == 0 || hi >= ns {
		return 0
	}
	hz, _ := bits.Div64(hi, lo, ns)
	return hz
}

// statedHz is the rate that the processor states if it is near the one measured, else
// that: what is stated is exact, unless a hypervisor scales.
func statedHz(measured uint64) uint64 {
	if e := exactHz(); e != 0 && absDiff(e, measured) < measured/2000 {
		return e
	}
	return measured
}

func absDiff(a, b uint64) uint64 {
	if a > b {
		return a - b
	}
	return b - a
}

// toPS turns ticks into ps.
func toPS(t uint64) uint64 {
	hi, lo := bits.Mul64(t*1000, hot.mult)
	return hi<<32 | lo>>32
}

// quantum is the greatest common divisor of the steps between consecutive
// reads, ticks: the smallest step the clock makes, but for clocks whose steps
// vary.
func quantum() uint64 {
	var g uint64
	last := now()
	for range 64 {
		t := now()
		if d := t - last; int64(d) > 0 {
			for a := d; a != 0; {
				a, g = g%a, a
			}
		}
		last = t
	}
	if g == 0 {
		return 1
	}
	return g
}
