package report

import "math"

// durations makes the times of passages: their count and sum, with buckets as classic
// histograms, with native as native ones as well.
//
// A classic histogram is a time series for each bucket of each marker, mostly more than
// all other figures of the marker together, so it is there only if it is asked for. Count and
// sum have the same names in a summary.
//
// The buckets of a marker hold whole nanoseconds: bucket k those from 2^k up to, not
// including, 2^(k+1). Those of Prometheus include their upper bound and not the lower.
//
// A classic histogram counts times up to a bound, the bound included. Up to 2^(k+1)-1 ns
// is what is in bucket k and below: the counts are exact, and the bound, in seconds, is
// a nanosecond less than a power of two.
//
// A native histogram of schema 0 has bounds at the powers of two, of its unit. In
// seconds these would lie across the buckets; in nanoseconds each bucket is one of
// them, but for times that are a power of two to the nanosecond: they count in the
// bucket above that bound, not in the one below. Bucket 0, of 0 and 1 ns, is the zero
// bucket, which is as wide as that.
func (b *promBuilder) durations(buckets, native bool) []promFamily {
	family := promFamily{
		name:    "markgen_passage_duration_seconds",
		help:    "Times of the passages, recursive ones in their own time and in that of the outer.",
		kind:    promSummary,
		metrics: b.summary,
	}
	if buckets {
		family.kind, family.metrics = promHistogram, b.classic
	}
	list := []promFamily{family}
	if native {
		list = append(list, promFamily{
			name:    "markgen_passage_duration_nanoseconds",
			help:    "Times of the passages as native histograms: schema 0 has the buckets of the data if the unit is a nanosecond.",
			kind:    promHistogram,
			metrics: b.native,
		})
	}
	return list
}

// summary makes summaries without quantiles, which would not add up over markers.
func (b *promBuilder) summary(add func(*promMetric)) {
	for i, m := range b.markers {
		if wasTimed(m) {
			add(&promMetric{labels: b.labels[i], count: m.Timed(), value: seconds(m.SumNS())})
		}
	}
}

// classic makes classic histograms. The bounds of a marker begin below its shortest
// time, with an empty bucket, or Prometheus would take the first that is not to begin at
// 0. They end at the longest time of any marker: bounds below all times of a marker
// count 0, and those above count all, so that sums over markers by bound are right.
func (b *promBuilder) classic(add func(*promMetric)) {
	last := 0
	for _, m := range b.markers {
		if n := len(m.Buckets); n > 0 {
			last = max(last, int(m.Buckets[n-1].K))
		}
	}
	var buckets []promBucket
	for i, m := range b.markers {
		if !wasTimed(m) {
			continue
		}
		count, rest := uint64(0), m.Buckets
		buckets = buckets[:0]
		for k := max(int(rest[0].K), 1) - 1; k <= last; k++ {
			if len(rest) > 0 && int(rest[0].K) == k {
				count += min(rest[0].Count, math.MaxUint64-count)
				rest = rest[1:]
			}
			buckets = append(buckets, promBucket{seconds(math.Ldexp(1, k+1) - 1), count})
		}
		add(&promMetric{labels: b.labels[i], count: m.Timed(), value: seconds(m.SumNS()), buckets: buckets})
	}
}

// native makes native histograms of schema 0.
func (b *promBuilder) native(add func(*promMetric)) {
	for i, m := range b.markers {
		if !wasTimed(m) {
			continue
		}
		h, all := promNative{threshold: 1}, uint64(0)
		for _, bucket := range m.Buckets {
			n := min(bucket.Count, math.MaxInt64-all) // the format has 63 bits for a count
			all += n
			if bucket.K == 0 {
				h.zeros = n
			} else {
				h.buckets = append(h.buckets, promNativeBucket{int(bucket.K) + 1, n})
			}
		}
		add(&promMetric{labels: b.labels[i], count: all, value: float64(m.SumNS()), native: &h})
	}
}
