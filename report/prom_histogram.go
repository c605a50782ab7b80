package report

import (
	"math"

	dto "github.com/prometheus/client_model/go"

	"github.com/markgen/markgen/profile"
)

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
		kind:    dto.MetricType_SUMMARY,
		metrics: b.summary,
	}
	if buckets {
		family.kind, family.metrics = dto.MetricType_HISTOGRAM, b.classic
	}
	list := []promFamily{family}
	if native {
		list = append(list, promFamily{
			name:    "markgen_passage_duration_nanoseconds",
			help:    "Times of the passages as native histograms: schema 0 has the buckets of the data if the unit is a nanosecond.",
			kind:    dto.MetricType_HISTOGRAM,
			metrics: b.native,
		})
	}
	return list
}

// summary makes summaries without quantiles, which would not add up over markers.
func (b *promBuilder) summary() []*dto.Metric {
	var list []*dto.Metric
	for i, m := range b.markers {
		if wasTimed(m) {
			n, sum := m.Timed(), seconds(m.SumNS())
			list = append(list, &dto.Metric{Label: b.labels[i], Summary: &dto.Summary{SampleCount: &n, SampleSum: &sum}})
		}
	}
	return list
}

// classic makes classic histograms. The bounds of a marker begin below its shortest
// time, with an empty bucket, or Prometheus would take the first that is not to begin at
// 0. They end at the longest time of any marker: bounds below all times of a marker
// count 0, and those above count all, so that sums over markers by bound are right.
func (b *promBuilder) classic() []*dto.Metric {
	var bounds [64]float64 // of each bucket the longest time
	for k := range bounds {
		bounds[k] = seconds(math.Ldexp(1, k+1) - 1)
	}
	last, total := 0, 0
	for _, m := range b.markers {
		if n := len(m.Buckets); n > 0 {
			last = max(last, int(m.Buckets[n-1].K))
		}
	}
	for _, m := range b.markers {
		if len(m.Buckets) > 0 {
			total += last + 2 - max(int(m.Buckets[0].K), 1)
		}
	}
	// One array for all of a kind: there may be millions.
	buckets, counts := make([]dto.Bucket, 0, total), make([]uint64, 0, total)
	list := make([]*dto.Bucket, 0, total)
	return b.histogram(func(m *profile.Marker, h *dto.Histogram) {
		begin, cumulative, rest := len(list), uint64(0), m.Buckets
		for k := max(int(m.Buckets[0].K), 1) - 1; k <= last; k++ {
			if len(rest) > 0 && int(rest[0].K) == k {
				cumulative += min(rest[0].Count, math.MaxUint64-cumulative)
				rest = rest[1:]
			}
			counts = append(counts, cumulative)
			buckets = append(buckets, dto.Bucket{CumulativeCount: &counts[len(counts)-1], UpperBound: &bounds[k]})
			list = append(list, &buckets[len(buckets)-1])
		}
		h.Bucket = list[begin:len(list):len(list)]
		n, sum := m.Timed(), seconds(m.SumNS())
		h.SampleCount, h.SampleSum = &n, &sum
	})
}

// native makes native histograms of schema 0.
func (b *promBuilder) native() []*dto.Metric {
	schema, zero := int32(0), 1.0
	return b.histogram(func(m *profile.Marker, h *dto.Histogram) {
		var all, zeros, before uint64
		next := 0 // number of the bucket that would follow without a gap
		for _, bucket := range m.Buckets {
			n := min(bucket.Count, math.MaxInt64-all) // the format has 63 bits for a count
			all += n
			if bucket.K == 0 {
				zeros = n
				continue
			}
			index := int(bucket.K) + 1 // of bounds 2^(index-1) and 2^index
			if gap := int32(index - next); len(h.PositiveSpan) == 0 || gap > 0 {
				h.PositiveSpan = append(h.PositiveSpan, &dto.BucketSpan{Offset: &gap, Length: new(uint32)})
			}
			*h.PositiveSpan[len(h.PositiveSpan)-1].Length++
			h.PositiveDelta = append(h.PositiveDelta, int64(n)-int64(before))
			before, next = n, index+1
		}
		sum := float64(m.SumNS())
		h.Schema, h.ZeroThreshold, h.ZeroCount = &schema, &zero, &zeros
		h.SampleCount, h.SampleSum = &all, &sum
	})
}

// histogram makes a metric of each marker with times; fill fills it in.
func (b *promBuilder) histogram(fill func(m *profile.Marker, h *dto.Histogram)) []*dto.Metric {
	var list []*dto.Metric
	for i, m := range b.markers {
		if len(m.Buckets) == 0 {
			continue
		}
		h := &dto.Histogram{}
		fill(m, h)
		list = append(list, &dto.Metric{Label: b.labels[i], Histogram: h})
	}
	return list
}
