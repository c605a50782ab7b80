// Package random has the random numbers of the runtime: when scopes are timed, when windows open and
// which functions are picked follows from them. They follow from a seed alone and cost next to
// nothing; whoever sees some of them can tell the others.
//
//	s := random.Source(random.Mix(seed))
//	wait := random.Exponential(s.Next())
package random

import "math/bits"

// Mix makes of numbers that are alike numbers that are not, of different ones different ones, and of 0
// 0: the finalizer of MurmurHash3 by Austin Appleby, who put it into the public domain.
func Mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// A Source is a sequence of random numbers. It begins at any value but 0, and is for one goroutine at a
// time.
type Source uint64

// Next gives the next number (Marsaglia, Xorshift RNGs, Journal of Statistical Software 8/14, 2003; the
// multiplication is Vigna's). None is 0.
//
//go:norace
func (s *Source) Next() uint64 {
	x := *s
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	*s = x
	return uint64(x) * 0x2545f4914f6cdd1d
}

// Exponential makes of a random number one of the exponential distribution with mean 1, in 32.32:
// -ln(u/2^64) = (64 - log2 u)·ln 2. The digits of the logarithm come of squaring (Knuth, The Art of
// Computer Programming 1, 1.2.2, exercise 25).
func Exponential(u uint64) uint64 {
	u |= 1
	whole := uint(bits.Len64(u) - 1)
	x := u << (63 - whole) // 1 ≤ x/2^63 < 2
	log := uint64(whole)
	for range 32 {
		hi, lo := bits.Mul64(x, x)
		log <<= 1
		if hi>>63 != 0 {
			log |= 1
			x = hi
		} else {
			x = hi<<1 | lo>>63
		}
	}
	const ln2 = 0xb17217f7 // 32 bits behind the point
	hi, lo := bits.Mul64(64<<32-log, ln2)
	return hi<<32 | lo>>32
}
