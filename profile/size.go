package profile

import (
	"math"
	"math/bits"
	"slices"

	"github.com/markgen/markgen/runtime/layout"
)

// A SizeBucket is the passages of a marker with size= whose input was from LoSize up to, not
// including, HiSize large: bucket 0 is for 0, and bucket K for 2^(K-1) ≤ size < 2^K.
type SizeBucket struct {
	K       uint8 // 0 … 63
	Count   uint64
	SumSize Uint128 // sum of the sizes
	SumNS   uint64  // of the times
	SumSq   Uint128 // of the squares of the times, ns²

	// Of Logged of the passages (all but those of data that have no such sums) the sum of the
	// logarithms to the base 2 of the time and 16 ns, in 256ths, and of their squares.
	Logged   uint64
	SumLog   uint64
	SumLogSq uint64
}

// LoSize is the smallest size that belongs into the bucket.
func (b *SizeBucket) LoSize() uint64 { return 1 << b.K >> 1 }

// HiSize is the smallest size that is too large for it.
func (b *SizeBucket) HiSize() uint64 { return 1 << b.K }

// MeanSize is the mean of the sizes.
func (b *SizeBucket) MeanSize() float64 { return b.SumSize.Float64() / float64(b.Count) }

// MeanNS is the mean of the times.
func (b *SizeBucket) MeanNS() float64 { return float64(b.SumNS) / float64(b.Count) }

// StddevNS is the standard deviation of the times from their mean, divided by n.
func (b *SizeBucket) StddevNS() float64 { return stddev(b.Count, b.SumNS, b.SumSq) }

// TypicalNS is the time of a typical passage: the geometric mean of the times, each with 16 ns
// more, and these taken off again. A few passages that the machine made wait move it much less
// than the mean, and times that no clock can tell apart not at all. se is its standard error, infinite where
// one passage is all there is. false: it is not known.
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

// NSPerUnit is the mean time for each unit of the input; infinite where all were empty.
func (b *SizeBucket) NSPerUnit() float64 { return float64(b.SumNS) / b.SumSize.Float64() }

// addSizes adds the buckets b to a, each sorted by K. It changes a, not b, and the
// result shares no memory with b.
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

// SettleLogs leaves out the sums of logarithms where they can't be those of about as many passages: each
// is at least that of 16 ns, and less than 65.
func (b *SizeBucket) SettleLogs(torn uint64) {
	const least, most = 4 * layout.SizeLogUnit, 65 * layout.SizeLogUnit
	few, many := b.Count-min(b.Count, torn), Add64(b.Count, torn)
	within := func(sum, least, most uint64) bool {
		over, lo := bits.Mul64(few, least)
		beyond, hi := bits.Mul64(many, most)
		return over == 0 && sum >= lo && (beyond != 0 || sum <= hi)
	}
	if !within(b.SumLog, least, most) || !within(b.SumLogSq, least*least, most*most) {
		b.Logged = 0
	}
}

// Settle makes the sum of the sizes one that as many sizes of the bucket can have, or if it
// is off by more than torn passages says no.
func (b *SizeBucket) Settle(torn uint64) (ok bool) {
	if b.Count > math.MaxUint64-torn {
		return false
	}
	times := func(n, size uint64) Uint128 {
		hi, lo := bits.Mul64(n, size)
		return Uint128{hi, lo}
	}
	lo, hi := b.LoSize(), b.HiSize()-1
	if b.SumSize.Less(times(b.Count-min(b.Count, torn), lo)) || times(b.Count+torn, hi).Less(b.SumSize) {
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
	// The squares of some times are at least those of as many that are as equal as can be, and at most that of one.
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

// Sound tells whether the figures of the bucket can be those of some passages, as Bucket.Sound does.
func (b SizeBucket) Sound() bool {
	same := b
	if b.K >= 64 || b.Count == 0 || b.Logged > b.Count || !same.Settle(0) || same != b {
		return false
	}
	same.Count = b.Logged
	same.SettleLogs(0)
	return same.Logged == b.Logged && (b.Logged > 0 || b.SumLog|b.SumLogSq == 0)
}
