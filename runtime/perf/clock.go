//go:build !markgen_off

package perf

import (
	"math/bits"

	"github.com/markgen/markgen/runtime/internal/clock"
)

// now reads the clock in use, ticks.
//
//go:norace
func now() uint64 {
	if hot.mono {
		return uint64(nanotime())
	}
	return ticks()
}

// anchorNow is this moment on the counter and on the monotonic clock.
func anchorNow() clock.Anchor { return clock.At(ticks, nanotime) }

// toNS turns a duration in ticks into ns, rounded to the nearest: hot.mult is a clock.Multiplier.
// There is no overflow below 2^64 ns.
//
//go:norace
func toNS(d uint64) uint64 {
	hi, lo := bits.Mul64(d, hot.mult)
	if hi == 0 {
		return (lo>>31 + 1) / 2
	}
	lo, carry := bits.Add64(lo, 1<<31, 0)
	return (hi+carry)<<32 | lo>>32
}

// toPS turns ticks into ps.
func toPS(t uint64) uint64 {
	hi, lo := bits.Mul64(t*1000, hot.mult)
	return hi<<32 | lo>>32
}

// fromNS turns ns into ticks.
func fromNS(ns uint64) uint64 { return clock.Ticks(ns, hot.mult) }

// calibration is how long the rate of the counter is observed before the first scope, ns, at least. The
// ends are known to about 15 ns each, so the rate to about 60 ppm; the header has anchors of the whole run.
const calibration = 500_000
