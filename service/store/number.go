package store

import (
	"math"

	"github.com/markgen/markgen/profile"
)

// A database has whole numbers of 63 bits and a sign. Numbers of a profile, which have 64, stay at most from there on
// (292 years of nanoseconds), and are the largest of their kind when they are read again. Sums of squares and others of 128 bits are
// in two columns, of which the lower has 62 bits, so that two of them can be added; they stay at 2^125.
const (
	most   = math.MaxInt64
	digits = 62
	low    = 1<<digits - 1
)

// toColumn is n as a column has it.
func toColumn(n uint64) int64 { return int64(min(n, most)) }

// fromColumn is the number in a column.
func fromColumn(v int64) uint64 {
	if v == most {
		return math.MaxUint64
	}
	return uint64(v)
}

// toColumns is n as two columns have it.
func toColumns(n profile.Uint128) (lo, hi int64) {
	if n.Hi >= 1<<(128-3-64) {
		return low, most
	}
	return int64(n.Lo & low), int64(n.Hi<<(64-digits) | n.Lo>>digits)
}

// fromColumns is the number in two columns.
func fromColumns(lo, hi int64) profile.Uint128 {
	if hi == most {
		return profile.Uint128{Hi: math.MaxUint64, Lo: math.MaxUint64}
	}
	return profile.Uint128{Hi: uint64(hi) >> (64 - digits), Lo: uint64(hi)<<digits | uint64(lo)}
}

// add is the sum of two columns.
func add(a, b int64) int64 { return min(a, most-b) + b }

// addWide adds n to two columns.
func addWide(lo, hi *int64, n profile.Uint128) {
	more, above := toColumns(n)
	more += *lo
	*lo, *hi = more&low, add(add(*hi, above), more>>digits)
}
