package runfile

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
	"github.com/markgen/markgen/units"
)

// readers are the names of collectors and of the values they read, from BlockReadings.
type readers struct {
	collectors []string
	first      []int // number of the first value of each collector
	values     []string
}

// collector returns the collector of a value.
func (n *readers) collector(value uint64) string {
	k := len(n.first) - 1
	for uint64(n.first[k]) > value {
		k--
	}
	return n.collectors[k]
}

// readings reads the names of collectors and values.
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

// parseReaders parses lines of the form collector, tab, value.
func parseReaders(text []byte) (*readers, bool) {
	names := &readers{}
	if !utf8.Valid(text) {
		return nil, false
	}
	for line := range strings.Lines(string(text)) {
		collector, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || collector == "" || value == "" || len(names.values) == layout.MaxValues {
			return nil, false
		}
		if n := len(names.collectors); n == 0 || names.collectors[n-1] != collector {
			if slices.Contains(names.collectors, collector) || n == layout.MaxCollectors {
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

// reads reads the block of one processor's readings at one marker.
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
	if r.readAt[cellKey{b.shard, index}] {
		return r.damaged(b.offset, "a second time readings of marker number %d on processor %d; they are left out", index, b.shard)
	}
	data, err := r.content(b, layout.OffReadData+collectors*layout.ReadSize+values*layout.ReadValueSize)
	if err != nil {
		return err
	}
	r.readAt[cellKey{b.shard, index}] = true
	word := func(at int) uint64 { return r.order.Uint64(data[layout.OffReadData+at:]) }
	var list []profile.Reading
	for k, collector := range r.names.collectors {
		at := k * layout.ReadSize
		reading := profile.Reading{Collector: collector, Scopes: word(at + layout.ReadScopes), Dropped: word(at + layout.ReadDropped)}
		end := len(r.names.values)
		if k+1 < len(r.names.first) {
			end = r.names.first[k+1]
		}
		for v := r.names.first[k]; v < end; v++ {
			at := len(r.names.collectors)*layout.ReadSize + v*layout.ReadValueSize
			sum := word(at + layout.ReadValueSum)
			reading.Values = append(reading.Values, profile.Value{
				Name:   r.names.values[v],
				Sum:    sum,
				Self:   min(word(at+layout.ReadValueSelf), sum), // the latest scope may be in some of the words only
				Nested: min(word(at+layout.ReadValueNested), sum),
			})
		}
		list = append(list, reading)
	}
	if index&layout.ReadPath == 0 {
		r.total(index).Add(&profile.Marker{Readings: list})
		return nil
	}
	k, ok := r.tree.number[index&^layout.ReadPath]
	if !ok {
		return r.damaged(b.offset, "readings of path %d, which is not in the file; they are left out", index&^layout.ReadPath)
	}
	n := &r.tree.nodes[k]
	if n.Readings == nil {
		n.Readings = list
		return nil
	}
	sum := profile.Marker{Readings: n.Readings}
	sum.Add(&profile.Marker{Readings: list})
	n.Readings = sum.Readings
	return nil
}
