package profile

import (
	"math"
	"math/bits"
	"slices"

	"github.com/markgen/markgen/runtime/layout"
)

// A SizeBucket has the calls of a marker with size= whose input sizes are from LoSize to HiSize,
// exclusive: bucket 0 is for 0, and bucket K for 2^(K-1) ≤ size < 2^K.
type SizeBucket struct {
	K       uint8 // 0 … 63
	Count   uint64
	SumSize Uint128 // sum of the sizes
	SumNS   uint64  // sum of the times
	SumSq   Uint128 // sum of the squares of the times, ns²

	// Sums of log2(time + 16 ns), in 256ths, and of its square, over Logged calls: all calls,
	// except in old data without these sums.
	Logged   uint64
	SumLog   uint64
	SumLogSq uint64
}

// LoSize returns the lower bound of the sizes.
func (b *SizeBucket) LoSize() uint64 { return 1 << b.K >> 1 }

// HiSize returns the exclusive upper bound of the sizes.
func (b *SizeBucket) HiSize() uint64 { return 1 << b.K }

// MeanSize returns the mean size.
func (b *SizeBucket) MeanSize() float64 { return b.SumSize.Float64() / float64(b.Count) }

// MeanNS returns the mean time.
func (b *SizeBucket) MeanNS() float64 { return float64(b.SumNS) / float64(b.Count) }

// StddevNS returns the population standard deviation of the times.
func (b *SizeBucket) StddevNS() float64 { return stddev(b.Count, b.SumNS, b.SumSq) }

// TypicalNS returns the time of a typical call: the geometric mean of time + 16 ns, minus 16 ns. A
// few calls that the machine delayed affect it much less than the mean, and differences below the
// clock's resolution hardly matter. se is its standard error, +Inf for a single call. ok is false
// if it is unknown.
func (b *SizeBucket) TypicalNS() (ns, se float64, ok bool) {
	if b.Logged == 0 || b.SumLogSq == math.MaxUint64 {
		return 0, 0, false
	}
	n := float64(b.Logged)
	mean := math.Exp2(min(64, float64(b.SumLog)/n/layout.SizeLogUnit))
	if b.Logged == 1 {
		return max(0, mean-layout.SizeLogAdd), math.Inf(1), true
	}
	dev := stddev(b.Logged, b.SumLog, Uint128{Lo: b.SumLogSq}) / layout.SizeLogUnit
	return max(0, mean-layout.SizeLogAdd), mean * math.Ln2 * dev / math.Sqrt(n-1), true
}

// NSPerUnit returns the mean time per unit of input; +Inf if all inputs were empty.
func (b *SizeBucket) NSPerUnit() float64 { return float64(b.SumNS) / b.SumSize.Float64() }

// addSizes adds the buckets b to a, each sorted by K. It modifies a but not b, and the result
// shares no memory with b.
func addSizes(a, b []SizeBucket) []SizeBucket {
	i := 0
	for _, add := range b {
		for i < len(a) && a[i].K < add.K {
			i++
		}
		if i == len(a) || a[i].K != add.K {
			a = slices.Insert(a, i, SizeBucket{K: add.K})
		}
		sum := &a[i]
		sum.Count = Add64(sum.Count, add.Count)
		sum.SumSize = sum.SumSize.Add(add.SumSize)
		sum.SumNS = Add64(sum.SumNS, add.SumNS)
		sum.SumSq = sum.SumSq.Add(add.SumSq)
		sum.Logged = Add64(sum.Logged, add.Logged)
		sum.SumLog = Add64(sum.SumLog, add.SumLog)
		sum.SumLogSq = Add64(sum.SumLogSq, add.SumLogSq)
	}
	return a
}

// SettleLogs discards the sums of logarithms if Count ± tolerance calls can't have them: each
// logarithm is at least log2(16), and less than 65.
func (b *SizeBucket) SettleLogs(tolerance uint64) {
	const least, most = 4 * layout.SizeLogUnit, 65 * layout.SizeLogUnit
	few, many := b.Count-min(b.Count, tolerance), Add64(b.Count, tolerance)
	within := func(sum, least, most uint64) bool {
		over, lo := bits.Mul64(few, least)
		beyond, hi := bits.Mul64(many, most)
		return over == 0 && sum >= lo && (beyond != 0 || sum <= hi)
	}
	if !within(b.SumLog, least, most) || !within(b.SumLogSq, least*least, most*most) {
		b.Logged = 0
	}
}

// Settle changes SumSize so that Count sizes within the bucket can have it. It returns false if it
// is off by more than tolerance calls.
func (b *SizeBucket) Settle(tolerance uint64) (ok bool) {
	if b.Count > math.MaxUint64-tolerance {
		return false
	}
	times := func(n, size uint64) Uint128 {
		hi, lo := bits.Mul64(n, size)
		return Uint128{hi, lo}
	}
	lo, hi := b.LoSize(), b.HiSize()-1
	if b.SumSize.Less(times(b.Count-min(b.Count, tolerance), lo)) || times(b.Count+tolerance, hi).Less(b.SumSize) {
		return false
	}
	if least := times(b.Count, lo); b.SumSize.Less(least) {
		b.SumSize = least
	}
	if most := times(b.Count, hi); most.Less(b.SumSize) {
		b.SumSize = most
	}
	if b.Count == 0 {
		return true
	}
	// The sum of squares is at least that of b.Count times as equal as possible, and at most that
	// of one single time.
	q, r := b.SumNS/b.Count, b.SumNS%b.Count
	least := times(b.SumNS-r, q).Add(times(r, q)).Add(times(r, q)).Add(times(r, 1))
	if b.SumSq.Less(least) {
		b.SumSq = least
	}
	if most := Square(b.SumNS); most.Less(b.SumSq) {
		b.SumSq = most
	}
	return true
}

// Sound reports whether the bucket is consistent, like Bucket.Sound.
func (b SizeBucket) Sound() bool {
	same := b
	if b.K >= 64 || b.Count == 0 || b.Logged > b.Count || !same.Settle(0) || same != b {
		return false
	}
	same.Count = b.Logged
	same.SettleLogs(0)
	return same.Logged == b.Logged && (b.Logged > 0 || b.SumLog|b.SumLogSq == 0)
}
