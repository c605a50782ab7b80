package store

import (
	"math"

	"github.com/markgen/markgen/profile"
)

// Databases have signed 64-bit integers, profiles unsigned ones. Values saturate at MaxInt64 (292
// years in ns), which is read back as MaxUint64. 128-bit values, such as sums of squares, take two
// columns; the lower has 62 bits, so that adding two of them does not overflow. They saturate at
// 2^125.
const (
	maxColumn = math.MaxInt64
	lowBits   = 62
	lowMask   = 1<<lowBits - 1
)

// toColumn returns the column value for n.
func toColumn(n uint64) int64 { return int64(min(n, maxColumn)) }

// fromColumn returns the number in a column.
func fromColumn(v int64) uint64 {
	if v == maxColumn {
		return math.MaxUint64
	}
	return uint64(v)
}

// toColumns returns the two column values for n.
func toColumns(n profile.Uint128) (lo, hi int64) {
	if n.Hi >= 1<<(128-3-64) {
		return lowMask, maxColumn
	}
	return int64(n.Lo & lowMask), int64(n.Hi<<(64-lowBits) | n.Lo>>lowBits)
}

// fromColumns returns the number in two columns.
func fromColumns(lo, hi int64) profile.Uint128 {
	if hi == maxColumn {
		return profile.Uint128{Hi: math.MaxUint64, Lo: math.MaxUint64}
	}
	return profile.Uint128{Hi: uint64(hi) >> (64 - lowBits), Lo: uint64(hi)<<lowBits | uint64(lo)}
}

// add returns the saturating sum of two columns.
func add(a, b int64) int64 { return min(a, maxColumn-b) + b }

// addWide adds n to a number in two columns.
func addWide(lo, hi *int64, n profile.Uint128) {
	more, above := toColumns(n)
	more += *lo
	*lo, *hi = more&lowMask, add(add(*hi, above), more>>lowBits)
}
