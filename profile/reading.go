package profile

import (
	"cmp"
	"slices"
)

// Reading is what a collector besides time read at the ends of a marker's scopes.
type Reading struct {
	Collector string
	Scopes    uint64  // scopes that were read at both ends
	Dropped   uint64  // scopes that ended and were not, or whose two readings can't be compared
	Values    []Value // by name
}

// Value is one number of a Reading: what it grew by from the beginning of each
// scope to its end, added up. Its unit is in its name: _bytes, _ns, else a count.
type Value struct {
	Name   string
	Sum    uint64
	Self   uint64 // Sum without what it grew by in scopes opened within
	Nested uint64 // of Sum, what is of scopes inside another of this marker (recursion)

	// How what it grew by is spread over the scopes that were read, as it is and
	// without the scopes opened within: the buckets with a count, by K. nil where the
	// collector has no buckets.
	Buckets, SelfBuckets []ValueBucket
}

// Total is what the value grew by in all scopes, that of scopes within scopes of the
// same marker once.
func (v *Value) Total() uint64 { return v.Sum - min(v.Nested, v.Sum) }

// Mean is what a value of the reading grew by in a scope, recursive ones included; 0
// if none was read.
func (r *Reading) Mean(v Value) float64 {
	if r.Scopes == 0 {
		return 0
	}
	return float64(v.Sum) / float64(r.Scopes)
}

// addReadings adds the readings b to a, by collector and value, and sorts by both. It
// changes a, not b, and the result shares no memory with b.
func addReadings(a, b []Reading) []Reading {
	had := len(a)
	a = addKeyed(a, b, collectorName, (*Reading).add)
	if len(a) > had {
		slices.SortFunc(a, func(a, b Reading) int { return cmp.Compare(a.Collector, b.Collector) })
	}
	return a
}

// add adds b, of the same collector, which is not changed and not shared. The zero value is of none yet.
func (r *Reading) add(b *Reading) {
	had := len(r.Values)
	r.Collector = b.Collector
	r.Scopes, r.Dropped = Add64(r.Scopes, b.Scopes), Add64(r.Dropped, b.Dropped)
	r.Values = addKeyed(r.Values, b.Values, valueName, (*Value).add)
	if len(r.Values) > had {
		slices.SortFunc(r.Values, func(a, b Value) int { return cmp.Compare(a.Name, b.Name) })
	}
}

// add adds v, of the same name, which is not changed and not shared. The zero value is of none yet.
func (sum *Value) add(v *Value) {
	sum.Name = v.Name
	sum.Sum, sum.Self, sum.Nested = Add64(sum.Sum, v.Sum), Add64(sum.Self, v.Self), Add64(sum.Nested, v.Nested)
	sum.Buckets, sum.SelfBuckets = addValueBuckets(sum.Buckets, v.Buckets), addValueBuckets(sum.SelfBuckets, v.SelfBuckets)
}
