package profile

import (
	"math/big"
	"slices"

	"github.com/markgen/markgen/runtime/layout"
)

// fromDemoted makes estimates of times where all scopes were counted and some of them timed
// (runtime/perf/demote.go): the mean of those that were timed, times the count. early is what had been timed
// when the marker was first demoted, nil if that is not known. If enough scopes were timed later
// (runtime/perf/timeagain.go) it is added as it is, and the mean is of the later ones, which were timed alone:
// demoted scopes inside were not, and their time is in the self time.
func (m *Marker) fromDemoted(early *Marker) (alone bool) {
	m.Off = Demoted
	count, timed := m.Count, m.Timed()
	if timed == 0 {
		return false
	}
	first := m.takeEarly(early)
	m.Count = count - first.Timed()
	m.scaleTrimmed()
	m.Buckets = appendSum(nil, m.Buckets, first.Buckets)
	m.SelfNS, m.NestedNS, m.Ticks = add64(m.SelfNS, first.SelfNS), add64(m.NestedNS, first.NestedNS), add64(m.Ticks, first.Ticks)
	m.Count, m.Seen, m.Samples = count, count, timed
	return len(first.Buckets) > 0
}

// leastLater is how many scopes are to be timed after a marker was first demoted for their mean to be taken.
const leastLater = 256

// takeEarly takes what had been timed early out of the marker's figures, and returns it; nothing where
// too little was timed later, or the two do not go together.
func (m *Marker) takeEarly(early *Marker) (first Marker) {
	if early == nil || sub64(m.Timed(), early.Timed()) < leastLater {
		return first
	}
	var later []Bucket
	for _, b := range m.Buckets {
		e := Bucket{K: b.K}
		if i := slices.IndexFunc(early.Buckets, func(e Bucket) bool { return e.K == b.K }); i >= 0 {
			e = early.Buckets[i]
		}
		e.SumNS = min(max(e.SumNS, mulSat(e.Count, e.LoNS())), mulSat(e.Count, e.HiNS()-1)) // it was read while others wrote
		left := Bucket{K: b.K, Count: b.Count - e.Count, SumNS: b.SumNS - e.SumNS}
		if e.Count > b.Count || e.SumNS > b.SumNS || !left.holds() {
			return Marker{}
		}
		if left.Count > 0 {
			left.SumSq = fromBig(rounded(b.SumSq.Big(), ratio(left.Count, b.Count)))
			later = append(later, left)
		}
		if e.Count > 0 {
			e.SumSq = fromBig(rounded(b.SumSq.Big(), ratio(e.Count, b.Count)))
			first.Buckets = append(first.Buckets, e)
		}
	}
	part := ratio(first.SumNS(), m.SumNS())
	of := func(v uint64) uint64 { return min(v, times(new(big.Int).SetUint64(v), part)) }
	first.SelfNS, first.NestedNS, first.Ticks = min(early.SelfNS, m.SelfNS), of(m.NestedNS), of(m.Ticks)
	m.Buckets = later
	m.SelfNS, m.NestedNS, m.Ticks = m.SelfNS-first.SelfNS, m.NestedNS-first.NestedNS, m.Ticks-first.Ticks
	return first
}

// holds says whether so many times of the bucket can add up to that sum.
func (b Bucket) holds() bool {
	return b.SumNS >= mulSat(b.Count, b.LoNS()) && b.SumNS <= mulSat(b.Count, b.HiNS()-1)
}

// scaleTrimmed scales what was timed to the count. The longest thousandth is added as it was: most of
// these lost their processor, and not to the scope.
func (m *Marker) scaleTrimmed() {
	count, timed := m.Count, m.Timed()
	k, long, longSum := len(m.Buckets), uint64(0), uint64(0)
	for k > 1 && long+m.Buckets[k-1].Count <= timed/layout.DemotedTrim+1 {
		k--
		long, longSum = long+m.Buckets[k].Count, add64(longSum, m.Buckets[k].SumNS)
	}
	tail := append([]Bucket(nil), m.Buckets[k:]...)
	sum := m.SumNS() - longSum
	self, nested, ticks := m.SelfNS, m.NestedNS, m.Ticks
	m.Buckets, m.Count = m.Buckets[:k:k], timed-long
	m.SelfNS, m.NestedNS = min(self, sum), min(nested, sum) // of the long ones it is not known what of it was their own
	m.Ticks = times(new(big.Int).SetUint64(ticks), ratio(sum, add64(sum, longSum)))
	self, nested, ticks = self-m.SelfNS, nested-m.NestedNS, ticks-m.Ticks
	meanVar := m.simpleVar()
	m.scale(ratio(count-long, timed-long))
	m.setMeanVar(meanVar)
	m.Buckets = append(m.Buckets, tail...)
	m.SelfNS, m.NestedNS, m.Ticks = add64(m.SelfNS, self), add64(m.NestedNS, nested), add64(m.Ticks, ticks)
}
