package estimate

import (
	"math/big"
	"math/bits"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
)

// A Sample is what the runtime has estimated of the scopes of a demoted marker until its last
// sample of them (runtime/perf/demote_estimate.go).
type Sample struct {
	Fine        bool             // self times around include those of its counted scopes, also in demoted markers
	Scopes      uint64           // number of scopes until then
	SelfNS      uint64           // their self time, estimated
	TimedSelfNS uint64           // self time of those of them that were timed
	Buckets     []profile.Bucket // of all of them, estimated
	Timed       []profile.Bucket // of those that were timed
}

// minLater is the minimum number of scopes timed since the last sample for using their mean for all
// scopes since.
const minLater = 256

// Short estimates the times of a demoted marker, which has all its scopes in Count and those that
// were timed in its buckets. s is nil if unknown; then all scopes have the mean of those timed.
func Short(m *profile.Marker, s *Sample) {
	m.Off = profile.Demoted
	count, timed, sum := m.Count, m.Timed(), m.SumNS()
	if timed == 0 {
		return
	}
	later, ok := m.Buckets, false
	if s != nil {
		later, ok = s.since(m)
	}
	if !ok {
		scaleTrimmed(m)
	} else {
		ticks, nested := m.Ticks, m.NestedNS
		before := profile.Marker{Count: s.Scopes, SelfNS: s.SelfNS, Buckets: s.Buckets}
		m.Buckets, m.SelfNS, m.Count = later, m.SelfNS-s.TimedSelfNS, count-s.Scopes
		m.Ticks, m.NestedNS = 0, 0
		if n := m.Timed(); n >= minLater || n == m.Count {
			scaleTrimmed(m)
		} else {
			before.Count, m.Count = count-n, n
		}
		before.Scale(profile.Ratio(before.Count, before.Timed()))
		m.Buckets = profile.AppendBuckets(nil, m.Buckets, before.Buckets)
		m.SelfNS = min(profile.Add64(m.SelfNS, before.SelfNS), m.SumNS())
		grown := profile.Ratio(m.SumNS(), sum)
		m.Ticks, m.NestedNS = profile.Times(ticks, grown), min(profile.Times(nested, grown), m.SumNS())
	}
	m.Count, m.Seen, m.Samples = count, count, timed
}

// since returns what has been timed since the last sample, and false if the sample does not fit the
// marker. It sets the sums of squares of the sample's buckets.
func (s *Sample) since(m *profile.Marker) (later []profile.Bucket, ok bool) {
	if s.Scopes > m.Count || s.TimedSelfNS > m.SelfNS || len(s.Buckets) == 0 {
		return nil, false
	}
	of := func(list []profile.Bucket, k uint8) profile.Bucket {
		if i := slices.IndexFunc(list, func(b profile.Bucket) bool { return b.K == k }); i >= 0 {
			return list[i]
		}
		return profile.Bucket{K: k}
	}
	for i := range s.Buckets {
		b := &s.Buckets[i]
		all := of(m.Buckets, b.K)
		b.SumSq = all.SumSq.Times(profile.Ratio(b.Count, all.Count))
		if b.Count < of(s.Timed, b.K).Count || all.Count == 0 {
			return nil, false
		}
		if *b, ok = b.Settle(b.Count); !ok {
			return nil, false
		}
	}
	for _, b := range m.Buckets {
		t := of(s.Timed, b.K)
		left := profile.Bucket{K: b.K, Count: b.Count - t.Count, SumNS: b.SumNS - min(t.SumNS, b.SumNS)}
		if t.Count > b.Count {
			return nil, false
		}
		if left.Count > 0 {
			left.SumSq = b.SumSq.Times(profile.Ratio(left.Count, b.Count))
			if left, ok = left.Settle(left.Count); !ok {
				return nil, false
			}
			later = append(later, left)
		}
	}
	return later, true
}

// scaleTrimmed scales the timed data to the count, except for the longest thousandth, which is not
// scaled: most of these scopes lost their processor for reasons of their own.
func scaleTrimmed(m *profile.Marker) {
	count, timed := m.Count, m.Timed()
	k, long, longSum := len(m.Buckets), uint64(0), uint64(0)
	for k > 1 && long+m.Buckets[k-1].Count <= timed/layout.DemotedTrim+1 {
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
}

// Shorten multiplies the times of a demoted marker by a factor below 1, for a total that is known
// better than as the mean times the count. Self time stays as it is.
func Shorten(m *profile.Marker, by *big.Rat) {
	square := new(big.Rat).Mul(by, by)
	var short []profile.Bucket
	for _, b := range m.Buckets {
		b.SumNS, b.SumSq = profile.Times(b.SumNS, by), b.SumSq.Times(square)
		b.K = uint8(max(0, bits.Len64(b.SumNS/b.Count)-1))
		b, _ = b.Settle(b.Count) // other than its mean, some of its times may be outside of the bucket now
		short = profile.AppendBuckets(nil, short, []profile.Bucket{b})
	}
	m.Buckets, m.MinNS = short, profile.Times(m.MinNS, by)
	m.NestedNS, m.Ticks = min(profile.Times(m.NestedNS, by), m.SumNS()), profile.Times(m.Ticks, by)
	m.SelfNS = min(m.SelfNS, m.TotalNS())
}
