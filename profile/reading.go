package profile

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/markgen/markgen/runtime/layout"
	"github.com/markgen/markgen/units"
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

// readers are the names that a file gives what was read, as BlockReadings has them.
type readers struct {
	collectors []string
	first      []int // number of the first value of each collector
	values     []string
}

// collector is the one that has the value of that number.
func (n *readers) collector(value uint64) string {
	k := len(n.first) - 1
	for uint64(n.first[k]) > value {
		k--
	}
	return n.collectors[k]
}

// readings takes in the names of what was read.
func (r *run) readings(b block) error {
	head, err := r.content(b, layout.OffReadingsText)
	if err != nil {
		return err
	}
	collectors := r.order.Uint64(head[layout.OffReadingsCollectors:])
	values := r.order.Uint64(head[layout.OffReadingsValues:])
	length := r.order.Uint64(head[layout.OffReadingsLen:])
	if length > b.size-layout.OffReadingsText {
		return r.damaged(b.offset, "names of readings, %d bytes of them in a block of %d; what was read is left out", length, b.size)
	}
	text, err := r.content(b, layout.OffReadingsText+length)
	if err != nil {
		return err
	}
	if r.names != nil {
		return r.damaged(b.offset, "names of readings a second time; they are left out")
	}
	names, ok := parseReaders(bytes.Clone(text[layout.OffReadingsText:]))
	if !ok || uint64(len(names.collectors)) != collectors || uint64(len(names.values)) != values {
		return r.damaged(b.offset, "names of readings that can't be read; what was read is left out")
	}
	r.names = names
	return nil
}

// parseReaders reads lines of a collector's name, a tab and the name of a value.
func parseReaders(text []byte) (*readers, bool) {
	names := &readers{}
	if !utf8.Valid(text) {
		return nil, false
	}
	for line := range strings.Lines(string(text)) {
		collector, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || collector == "" || value == "" || len(names.values) == layout.MostValues {
			return nil, false
		}
		if n := len(names.collectors); n == 0 || names.collectors[n-1] != collector {
			if slices.Contains(names.collectors, collector) || n == layout.MostCollectors {
				return nil, false
			}
			names.collectors = append(names.collectors, collector)
			names.first = append(names.first, len(names.values))
		}
		if slices.Contains(names.values[names.first[len(names.first)-1]:], value) {
			return nil, false
		}
		names.values = append(names.values, value)
	}
	return names, true
}

// reads takes in what was read at one marker on one processor.
func (r *run) reads(b block) error {
	head, err := r.content(b, layout.OffReadData)
	if err != nil {
		return err
	}
	index := r.order.Uint64(head[layout.OffReadMarker:])
	collectors := r.order.Uint64(head[layout.OffReadCollectors:])
	values := r.order.Uint64(head[layout.OffReadValues:])
	if r.names == nil || collectors != uint64(len(r.names.collectors)) || values != uint64(len(r.names.values)) {
		return r.damaged(b.offset, "readings of marker number %d, %d values of %s, which are not those that the file names; they are left out",
			index, values, units.Plural(collectors, "collector"))
	}
	if r.readAt[part{b.shard, index}] {
		return r.damaged(b.offset, "a second time readings of marker number %d on processor %d; they are left out", index, b.shard)
	}
	data, err := r.content(b, layout.OffReadData+collectors*layout.ReadSize+values*layout.ReadValueSize)
	if err != nil {
		return err
	}
	r.readAt[part{b.shard, index}] = true
	word := func(at int) uint64 { return r.order.Uint64(data[layout.OffReadData+at:]) }
	var list []Reading
	for k, collector := range r.names.collectors {
		at := k * layout.ReadSize
		reading := Reading{Collector: collector, Scopes: word(at + layout.ReadScopes), Dropped: word(at + layout.ReadDropped)}
		end := len(r.names.values)
		if k+1 < len(r.names.first) {
			end = r.names.first[k+1]
		}
		for v := r.names.first[k]; v < end; v++ {
			at := len(r.names.collectors)*layout.ReadSize + v*layout.ReadValueSize
			sum := word(at + layout.ReadValueSum)
			reading.Values = append(reading.Values, Value{
				Name:   r.names.values[v],
				Sum:    sum,
				Self:   min(word(at+layout.ReadValueSelf), sum), // the latest scope may not be in all of them
				Nested: min(word(at+layout.ReadValueNested), sum),
			})
		}
		list = append(list, reading)
	}
	m := r.figures(index)
	m.Readings = addReadings(m.Readings, list)
	return nil
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
	r.Scopes, r.Dropped = add64(r.Scopes, b.Scopes), add64(r.Dropped, b.Dropped)
	r.Values = addKeyed(r.Values, b.Values, valueName, (*Value).add)
	if len(r.Values) > had {
		slices.SortFunc(r.Values, func(a, b Value) int { return cmp.Compare(a.Name, b.Name) })
	}
}

// add adds v, of the same name, which is not changed and not shared. The zero value is of none yet.
func (sum *Value) add(v *Value) {
	sum.Name = v.Name
	sum.Sum, sum.Self, sum.Nested = add64(sum.Sum, v.Sum), add64(sum.Self, v.Self), add64(sum.Nested, v.Nested)
	sum.Buckets, sum.SelfBuckets = addValueBuckets(sum.Buckets, v.Buckets), addValueBuckets(sum.SelfBuckets, v.SelfBuckets)
}
