//go:build !markgen_off

package perf

import (
	"math/bits"

	"github.com/markgen/markgen/runtime/internal/clock"
)

// now reads the clock in use, in ticks.
//
//go:norace
func now() uint64 {
	if hot.mono {
		return uint64(nanotime())
	}
	return ticks()
}

// anchorNow reads the counter and the monotonic clock at one moment.
func anchorNow() clock.Anchor { return clock.At(ticks, nanotime) }

// toNS converts a duration from ticks to ns, rounded to the nearest: hot.mult is a
// clock.Multiplier. There is no overflow below 2^64 ns.
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

// toPS converts ticks to ps.
func toPS(t uint64) uint64 {
	hi, lo := bits.Mul64(t*1000, hot.mult)
	return hi<<32 | lo>>32
}

// fromNS converts ns to ticks.
//
//go:noinline
func fromNS(ns uint64) uint64 { return clock.Ticks(ns, hot.mult) }

// calibration is the minimum time, in ns, for which the counter's rate is observed before the first
// scope. Both ends are known to about 15 ns, so the rate to about 60 ppm; the header has anchors of
// the complete run.
const calibration = 500_000
