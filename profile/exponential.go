package profile

// An Exponential is the histogram of scale 0 that OTLP has instead of buckets
// (https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram): Counts[i] is
// for 2^(Offset+i) to 2^(Offset+i+1). OTLP's buckets include the upper bound, a profile's the lower,
// so a value that is a power of two is one bucket higher than OTLP requires, except for 1 ns.
type Exponential struct {
	Zeros  uint64
	Offset int
	Counts []uint64 // nil if there are only zeros
}

// ExponentialTimes returns the histogram of times, in ns. 0 and 1 ns, which share bucket 0 of a
// profile, are separated exactly by its sum; 1 ns is in OTLP's bucket from 2^-1.
func ExponentialTimes(buckets []Bucket) (e Exponential) {
	for _, b := range buckets {
		n, k := b.Count, int(b.K)
		if k == 0 {
			ones := min(b.SumNS, n)
			e.Zeros, n, k = n-ones, ones, -1
		}
		e.add(k, n)
	}
	return e
}

// ExponentialValues returns the histogram of values.
func ExponentialValues(buckets []ValueBucket) (e Exponential) {
	for _, b := range buckets {
		if b.K == 0 {
			e.Zeros = b.Count
		} else {
			e.add(int(b.K)-1, b.Count)
		}
	}
	return e
}

// add adds n values to the bucket from 2^k. k must not decrease from call to call.
func (e *Exponential) add(k int, n uint64) {
	if n == 0 {
		return
	}
	if len(e.Counts) == 0 {
		e.Offset = k
	}
	for e.Offset+len(e.Counts) <= k {
		e.Counts = append(e.Counts, 0)
	}
	e.Counts[k-e.Offset] += n
}
