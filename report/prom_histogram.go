package report

import "math"

// durations returns the times of scopes: count and sum, with buckets also as classic histograms,
// and with native also as native ones.
//
// A classic histogram has a time series for each bucket of each marker, usually more than all other
// values of the marker together, so it is optional. A summary has count and sum under the same
// names.
//
// A marker's buckets count integer nanoseconds: bucket k those from 2^k, inclusive, to 2^(k+1),
// exclusive. Prometheus's buckets include their upper bound and exclude the lower.
//
// A classic histogram counts times up to and including a bound. The times up to 2^(k+1)-1 ns are
// those in bucket k and below: the counts are exact, and the bound, in seconds, is a nanosecond
// less than a power of two.
//
// A native histogram of schema 0 has bounds at the powers of two of its unit. In seconds these
// would not match markgen's buckets; in nanoseconds each bucket matches one, except for times that
// are exactly a power of two: they are counted in the bucket above the bound instead of below it.
// Bucket 0, of 0 and 1 ns, is the zero bucket, which has that width.
func (b *promBuilder) durations(buckets, native bool) []promFamily {
	family := promFamily{
		name:    "markgen_scope_duration_seconds",
		help:    "Times of the scopes, recursive ones in their own time and in that of the outer.",
		kind:    promSummary,
		metrics: b.summary,
	}
	if buckets {
		family.kind, family.metrics = promHistogram, b.classic
	}
	list := []promFamily{family}
	if native {
		list = append(list, promFamily{
			name:    "markgen_scope_duration_nanoseconds",
			help:    "Times of the scopes as native histograms: schema 0 has the buckets of the data if the unit is a nanosecond.",
			kind:    promHistogram,
			metrics: b.native,
		})
	}
	return list
}

// summary adds summaries without quantiles, which could not be aggregated over markers.
func (b *promBuilder) summary(add func(*promMetric)) {
	for i, m := range b.markers {
		if wasTimed(m) {
			add(&promMetric{labels: b.labels[i], count: m.Timed(), value: seconds(m.SumNS())})
		}
	}
}

// classic adds classic histograms. The bounds of a marker begin with an empty bucket below its
// minimum time; otherwise Prometheus would assume that the first bucket begins at 0. They end at
// the maximum time of any marker, so that sums over markers by bound are correct: bounds below a
// marker's times count 0, and bounds above count all.
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

// native adds native histograms of schema 0.
func (b *promBuilder) native(add func(*promMetric)) {
	for i, m := range b.markers {
		if !wasTimed(m) {
			continue
		}
		h, all := promNative{threshold: 1}, uint64(0)
		for _, bucket := range m.Buckets {
			n := min(bucket.Count, math.MaxInt64-all) // counts in the format have 63 bits
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
