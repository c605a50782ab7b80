package profile

import (
	"cmp"
	"slices"
)

// Reading has what a collector other than time read at the ends of a marker's scopes.
type Reading struct {
	Collector string
	Scopes    uint64  // scopes that were read at both ends
	Dropped   uint64  // scopes that ended without two comparable readings
	Values    []Value // by name
}

// Value is one quantity of a Reading: the sum over scopes of its increase from begin to end. The
// suffix of the name is the unit: _bytes, _ns, otherwise a count.
type Value struct {
	Name   string
	Sum    uint64
	Self   uint64 // Sum without the increase in scopes opened inside
	Nested uint64 // part of Sum from scopes inside another scope of this marker (recursion)

	// Distributions of the increase per scope, with and without scopes opened inside: nonempty
	// buckets sorted by K; nil if the collector has none.
	Buckets, SelfBuckets []ValueBucket
}

// Total returns the increase over all scopes, counting recursive scopes once.
func (v *Value) Total() uint64 { return v.Sum - min(v.Nested, v.Sum) }

// Mean returns the mean increase of v per scope, including recursive ones; 0 if no scope was read.
func (r *Reading) Mean(v Value) float64 {
	if r.Scopes == 0 {
		return 0
	}
	return float64(v.Sum) / float64(r.Scopes)
}

// addReadings adds the readings b to a by collector and value, and sorts by both. It modifies a but
// not b, and the result shares no memory with b.
func addReadings(a, b []Reading) []Reading {
	had := len(a)
	a = addKeyed(a, b, collectorName, (*Reading).add)
	if len(a) > had {
		slices.SortFunc(a, func(a, b Reading) int { return cmp.Compare(a.Collector, b.Collector) })
	}
	return a
}

// add adds b, of the same collector, which it neither modifies nor shares. r may be the zero value.
func (r *Reading) add(b *Reading) {
	had := len(r.Values)
	r.Collector = b.Collector
	r.Scopes, r.Dropped = Add64(r.Scopes, b.Scopes), Add64(r.Dropped, b.Dropped)
	r.Values = addKeyed(r.Values, b.Values, valueName, (*Value).add)
	if len(r.Values) > had {
		slices.SortFunc(r.Values, func(a, b Value) int { return cmp.Compare(a.Name, b.Name) })
	}
}

// add adds v, of the same name, which it neither modifies nor shares. sum may be the zero value.
func (sum *Value) add(v *Value) {
	sum.Name = v.Name
	sum.Sum, sum.Self, sum.Nested = Add64(sum.Sum, v.Sum), Add64(sum.Self, v.Self), Add64(sum.Nested, v.Nested)
	sum.Buckets, sum.SelfBuckets = addValueBuckets(sum.Buckets, v.Buckets), addValueBuckets(sum.SelfBuckets, v.SelfBuckets)
}
