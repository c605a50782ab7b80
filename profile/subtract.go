package profile

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/runtime/layout"
)

// Sub returns the data that p has in addition to q, an earlier reading of the same run. Merging
// diff and q gives p, with two exceptions. The shortest and longest time of the interval are known
// only if they are those of the whole run; otherwise they are the bounds of the interval's
// outermost buckets or the extremes of the whole run. And since a running process changes its data
// while they are read, a number may be smaller in p than in q: then it is 0 in diff, and sums are
// limited to values that the count allows. The next difference makes up for such corrections if q
// is the sum of all earlier differences.
//
// diff lacks markers without calls in the interval, except for those on the call paths of others;
// and all callers, blocks, pairs, notes, changes, warnings and open scopes. It shares memory with
// p. backwards is the number of markers with fewer calls in p than in q.
func Sub(p, q *Profile) (diff *Profile, backwards int) {
	d := *p
	d.Runs = max(p.Runs-q.Runs, 0)
	d.ElapsedNS = Sub64(p.ElapsedNS, q.ElapsedNS)
	d.Lost = Sub64(p.Lost, q.Lost)
	d.Sampling = p.Sampling.sub(q.Sampling)
	d.Wild = p.Wild.sub(q.Wild)
	d.Cost = p.Cost.sub(q.Cost)
	d.Paths = p.Paths.Sub(q.Paths)
	d.Pairs, d.Trace, d.Changes, d.Blocks, d.Warnings, d.MoreWarnings = nil, nil, nil, nil, nil, false
	before := make(map[registry.ID]*Marker, len(q.Markers))
	for i := range q.Markers {
		before[q.Markers[i].ID] = &q.Markers[i]
	}
	onPaths := d.Paths.markers()
	d.Markers = nil
	for i := range p.Markers {
		m := p.Markers[i]
		m.Callers, m.Notes, m.Open = nil, nil, 0
		if old := before[m.ID]; old != nil {
			if m.Count < old.Count {
				backwards++
			}
			m.sub(old)
		}
		if m.Count > 0 || m.Picks != nil || onPaths[m.ID] {
			d.Markers = append(d.Markers, m)
		}
	}
	return &d, backwards
}

// sub subtracts an earlier reading. It does not modify memory that m shares.
func (m *Marker) sub(old *Marker) {
	untimed := Sub64(Sub64(m.Count, m.Timed()), Sub64(old.Count, old.Timed()))
	m.Buckets = subBuckets(m.Buckets, old.Buckets)
	m.Count = Add64(untimed, m.Timed())
	m.Runs = Sub64(m.Runs, old.Runs)
	m.MinNS, m.MaxNS = extremesIn(m.Buckets, m.MinNS, m.MaxNS)
	// The latest scopes may have been read in part. The next difference makes up for the limits.
	m.SelfNS = min(Sub64(m.SelfNS, old.SelfNS), m.SumNS())
	m.NestedNS = min(Sub64(m.NestedNS, old.NestedNS), m.SumNS())
	m.Ticks = Sub64(m.Ticks, old.Ticks)
	m.Samples = Sub64(m.Samples, old.Samples)
	m.Levels = m.Levels.minus(old.Levels)
	m.Seen = Sub64(m.Seen, old.Seen)
	m.CountVar, m.SumVar = m.CountVar.Sub(old.CountVar), m.SumVar.Sub(old.SumVar)
	m.First.Buckets = subBuckets(m.First.Buckets, old.First.Buckets)
	m.First.MinNS, m.First.MaxNS = extremesIn(m.First.Buckets, m.First.MinNS, m.First.MaxNS)
	m.Sizes = subSizes(m.Sizes, old.Sizes)
	m.Readings = subReadings(m.Readings, old.Readings)
	if m.Picks != nil && old.Picks != nil {
		p, q := *m.Picks, *old.Picks
		m.Picks = nil
		if p.Runs > q.Runs {
			m.Picks = &Picks{p.Runs - q.Runs, p.Weight.Sub(q.Weight), p.Scopes.Sub(q.Scopes), p.ScopesVar.Sub(q.ScopesVar)}
		}
	}
}

// subBuckets returns a minus b, each sorted by K: the nonempty buckets, with consistent sums.
func subBuckets(a, b []Bucket) (left []Bucket) {
	for _, c := range a {
		if i := slices.IndexFunc(b, func(old Bucket) bool { return old.K == c.K }); i >= 0 {
			c.Count, c.SumNS, c.SumSq = Sub64(c.Count, b[i].Count), Sub64(c.SumNS, b[i].SumNS), c.SumSq.Sub(b[i].SumSq)
			c = c.settled()
		}
		if c.Count > 0 {
			left = append(left, c)
		}
	}
	return left
}

// settled returns the bucket with sums changed as little as possible to be consistent with its
// count.
func (b Bucket) settled() Bucket {
	const tolerance = 1 << 40 // larger than any difference of two readings
	if b.Count == 0 || b.Count > math.MaxUint64-tolerance {
		return b
	}
	if over, most := bits.Mul64(b.Count, b.HiNS()-1); over == 0 {
		b.SumNS = min(b.SumNS, most)
	}
	b, _ = reconcile(b, tolerance)
	return b
}

// extremesIn returns the shortest and longest time of the calls in the buckets as far as known;
// least and most are those of all calls.
func extremesIn(list []Bucket, least, most uint64) (lo, hi uint64) {
	if len(list) == 0 {
		return 0, 0
	}
	first, last := list[0], list[len(list)-1]
	return min(max(least, first.LoNS()), first.HiNS()-1), max(min(most, last.HiNS()-1), last.LoNS())
}

func subSizes(a, b []SizeBucket) (left []SizeBucket) {
	for _, s := range a {
		if i := slices.IndexFunc(b, func(old SizeBucket) bool { return old.K == s.K }); i >= 0 {
			old := &b[i]
			s.Count = Sub64(s.Count, old.Count)
			s.SumSize = s.SumSize.Sub(old.SumSize)
			s.SumNS, s.SumSq = Sub64(s.SumNS, old.SumNS), s.SumSq.Sub(old.SumSq)
			s.Logged = min(Sub64(s.Logged, old.Logged), s.Count)
			s.SumLog, s.SumLogSq = Sub64(s.SumLog, old.SumLog), Sub64(s.SumLogSq, old.SumLogSq)
			s = s.settled()
		}
		if s.Count > 0 {
			left = append(left, s)
		}
	}
	return left
}

// settled returns the bucket with sums changed as little as possible to be consistent with its
// count.
func (b SizeBucket) settled() SizeBucket {
	if b.Count > 1<<35 { // the sums of logarithms could exceed 2^63
		return b
	}
	b.Settle(1 << 40) // larger than any difference of two readings
	const least, most = 4 * layout.SizeLogUnit, 65 * layout.SizeLogUnit
	if b.Logged == 0 {
		b.SumLog, b.SumLogSq = 0, 0
		return b
	}
	b.SumLog = min(max(b.SumLog, b.Logged*least), b.Logged*most)
	b.SumLogSq = min(max(b.SumLogSq, b.Logged*least*least), b.Logged*most*most)
	return b
}

func subReadings(a, b []Reading) (left []Reading) {
	for _, r := range a {
		if i := slices.IndexFunc(b, func(old Reading) bool { return old.Collector == r.Collector }); i >= 0 {
			old := &b[i]
			r.Scopes, r.Dropped = Sub64(r.Scopes, old.Scopes), Sub64(r.Dropped, old.Dropped)
			r.Values = slices.Clone(r.Values)
			for k := range r.Values {
				v := &r.Values[k]
				if j := slices.IndexFunc(old.Values, func(old Value) bool { return old.Name == v.Name }); j >= 0 {
					o := &old.Values[j]
					v.Sum = Sub64(v.Sum, o.Sum)
					v.Self, v.Nested = min(Sub64(v.Self, o.Self), v.Sum), min(Sub64(v.Nested, o.Nested), v.Sum)
					v.Buckets, v.SelfBuckets = subValueBuckets(v.Buckets, o.Buckets), subValueBuckets(v.SelfBuckets, o.SelfBuckets)
				}
			}
		}
		if r.Scopes|r.Dropped != 0 {
			left = append(left, r)
		}
	}
	return left
}

func subValueBuckets(a, b []ValueBucket) (left []ValueBucket) {
	for _, c := range a {
		if i := slices.IndexFunc(b, func(old ValueBucket) bool { return old.K == c.K }); i >= 0 {
			c.Count, c.Sum, c.SumSq = Sub64(c.Count, b[i].Count), Sub64(c.Sum, b[i].Sum), c.SumSq.Sub(b[i].SumSq)
			if c.Count < 1<<40 {
				c.Settle(1 << 40) // the nearest consistent sums; larger than any difference of two readings
			}
		}
		if c.Count > 0 {
			left = append(left, c)
		}
	}
	return left
}

// sub returns s minus the earlier t. If either is nil it returns s.
func (s *Sampling) sub(t *Sampling) *Sampling {
	if s == nil || t == nil {
		return s
	}
	return &Sampling{s.N, Sub64(s.Windows, t.Windows), Sub64(s.OpenNS, t.OpenNS), Sub64(s.NetNS, t.NetNS), Sub64(s.OfNS, t.OfNS)}
}

// sub returns w minus the earlier v. If either is nil it returns w.
func (w *Wild) sub(v *Wild) *Wild {
	if w == nil || v == nil {
		return w
	}
	return &Wild{Sub64(w.Runs, v.Runs), Sub64(w.Picked, v.Picked), Sub64(w.Of, v.Of),
		Sub64(w.Loaded, v.Loaded), Sub64(w.Full, v.Full), Sub64(w.NoPlace, v.NoPlace)}
}

// Sub64 returns a-b, or 0 if b is larger.
func Sub64(a, b uint64) uint64 { return a - min(a, b) }

// Undated returns a copy of p that does not identify its runs. Their start times are truncated to
// multiples of to, just enough to decide which of a marker's names is the newest. The copy has
// neither Start nor Run, and shares memory with p.
func (p *Profile) Undated(to time.Duration) *Profile {
	u := *p
	u.Start, u.Run, u.Newest = time.Time{}, "", p.Newest-p.Newest%int64(to)
	u.Markers = slices.Clone(p.Markers)
	for i := range u.Markers {
		u.Markers[i].AsOf -= u.Markers[i].AsOf % int64(to)
	}
	return &u
}
