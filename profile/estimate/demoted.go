package estimate

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/markgen/markgen/profile"
)

// demotedTrim sets the part of a demoted marker's timed scopes that the mean excludes: the longest
// 1/demotedTrim, and one more.
const demotedTrim = 1000

// Demoted estimates the times of a demoted marker, which has all its scopes in Count and those that
// were timed in its buckets: all scopes have the mean of these, except for the longest thousandth,
// which are not scaled: most of them lost their processor for reasons of their own.
func Demoted(m *profile.Marker) {
	m.Off = profile.Demoted
	count, timed := m.Count, m.Timed()
	if timed == 0 {
		return
	}
	k, long, longSum := len(m.Buckets), uint64(0), uint64(0)
	for k > 1 && long+m.Buckets[k-1].Count <= timed/demotedTrim+1 {
		k--
		long, longSum = long+m.Buckets[k].Count, profile.Add64(longSum, m.Buckets[k].SumNS)
	}
	tail := append([]profile.Bucket(nil), m.Buckets[k:]...)
	sum := m.SumNS() - longSum
	self, nested, ticks := m.SelfNS, m.NestedNS, m.Ticks
	m.Buckets, m.Count = m.Buckets[:k:k], timed-long
	m.SelfNS, m.NestedNS = min(self, sum), min(nested, sum) // the self time of the long ones alone is unknown
	m.Ticks = profile.Times(ticks, profile.Ratio(sum, profile.Add64(sum, longSum)))
	self, nested, ticks = self-m.SelfNS, nested-m.NestedNS, ticks-m.Ticks
	meanVar := m.MeanVar()
	m.Scale(profile.Ratio(count-long, timed-long))
	m.SetMeanVar(meanVar)
	m.Buckets = append(m.Buckets, tail...)
	m.SelfNS, m.NestedNS, m.Ticks = profile.Add64(m.SelfNS, self), profile.Add64(m.NestedNS, nested), profile.Add64(m.Ticks, ticks)
	m.Count, m.Seen, m.Samples = count, count, timed
}

// Times are the times of a demoted marker by samples of its process, in ns: of its scopes, of them
// less those inside others of the marker, and of them less those of other markers inside.
type Times struct{ Sum, Total, Self float64 }

// Sampled gives a demoted marker times by a number of samples, in the distribution of the scopes that
// were timed.
func Sampled(m *profile.Marker, t Times, samples float64) {
	ns := func(x float64) uint64 { return uint64(min(x, math.MaxInt64) + 0.5) }
	was, sum := m.SumNS(), ns(t.Sum)
	if was == 0 || sum == 0 {
		return
	}
	by := profile.Ratio(sum, was)
	square := new(big.Rat).Mul(by, by)
	var scaled []profile.Bucket
	for _, b := range m.Buckets {
		b.SumNS, b.SumSq = profile.Times(b.SumNS, by), b.SumSq.Times(square)
		b.K = uint8(max(0, bits.Len64(b.SumNS/b.Count)-1))
		b, _ = b.Settle(b.Count) // other than its mean, some of its times may be outside of the bucket now
		scaled = profile.AppendBuckets(nil, scaled, []profile.Bucket{b})
	}
	m.Buckets, m.MinNS, m.Ticks = scaled, profile.Times(m.MinNS, by), profile.Times(m.Ticks, by)
	m.NestedNS = min(ns(t.Sum-t.Total), m.SumNS())
	m.SelfNS = min(ns(t.Self), m.TotalNS())
	mean := m.MeanNS()
	m.SetMeanVar(mean * mean / samples)
}
