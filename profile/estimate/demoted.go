package estimate

import (
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
)

// Short estimates times from a marker's timed scopes if all scopes were counted
// (runtime/perf/demote.go): the mean of the timed scopes, times the count. early has the data timed
// before the marker was first demoted, nil if unknown. If enough scopes were timed later
// (runtime/perf/demote_retime.go), early is added unchanged and the mean is that of the later
// scopes, and Short returns alone = true: the later scopes were timed alone, without timing demoted
// scopes inside, whose time is in the self time.
func Short(m, early *profile.Marker) (alone bool) {
	m.Off = profile.Demoted
	count, timed := m.Count, m.Timed()
	if timed == 0 {
		return false
	}
	first := subtractEarly(m, early)
	m.Count = count - first.Timed()
	scaleTrimmed(m)
	m.Buckets = profile.AppendBuckets(nil, m.Buckets, first.Buckets)
	m.SelfNS, m.NestedNS, m.Ticks = profile.Add64(m.SelfNS, first.SelfNS), profile.Add64(m.NestedNS, first.NestedNS), profile.Add64(m.Ticks, first.Ticks)
	m.Count, m.Seen, m.Samples = count, count, timed
	return len(first.Buckets) > 0
}

// minLater is the minimum number of scopes timed after the first demotion for using their mean.
const minLater = 256

// subtractEarly subtracts early from the marker's data and returns it. It returns an empty marker if
// too few scopes were timed later, or if early is inconsistent with m.
func subtractEarly(m, early *profile.Marker) (first profile.Marker) {
	if early == nil || profile.Sub64(m.Timed(), early.Timed()) < minLater {
		return first
	}
	var later []profile.Bucket
	for _, b := range m.Buckets {
		e := profile.Bucket{K: b.K}
		if i := slices.IndexFunc(early.Buckets, func(e profile.Bucket) bool { return e.K == b.K }); i >= 0 {
			e = early.Buckets[i]
		}
		e.SumNS = min(max(e.SumNS, profile.Mul64(e.Count, e.LoNS())), profile.Mul64(e.Count, e.HiNS()-1)) // read while it was being written
		left := profile.Bucket{K: b.K, Count: b.Count - e.Count, SumNS: b.SumNS - e.SumNS}
		if e.Count > b.Count || e.SumNS > b.SumNS || !plausible(left) {
			return profile.Marker{}
		}
		if left.Count > 0 {
			left.SumSq = b.SumSq.Times(profile.Ratio(left.Count, b.Count))
			later = append(later, left)
		}
		if e.Count > 0 {
			e.SumSq = b.SumSq.Times(profile.Ratio(e.Count, b.Count))
			first.Buckets = append(first.Buckets, e)
		}
	}
	part := profile.Ratio(first.SumNS(), m.SumNS())
	of := func(v uint64) uint64 { return min(v, profile.Times(v, part)) }
	first.SelfNS, first.NestedNS, first.Ticks = min(early.SelfNS, m.SelfNS), of(m.NestedNS), of(m.Ticks)
	m.Buckets = later
	m.SelfNS, m.NestedNS, m.Ticks = m.SelfNS-first.SelfNS, m.NestedNS-first.NestedNS, m.Ticks-first.Ticks
	return first
}

// plausible reports whether b.Count times within the bucket can have the sum b.SumNS.
func plausible(b profile.Bucket) bool {
	return b.SumNS >= profile.Mul64(b.Count, b.LoNS()) && b.SumNS <= profile.Mul64(b.Count, b.HiNS()-1)
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
