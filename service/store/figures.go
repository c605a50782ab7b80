package store

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/markgen/markgen/profile"
)

// A part of a cell is a row of one of the statistics tables. The low tagBits of its tag select the
// table; the bits above are the keys that this table has in addition to those of a cell.
const (
	tagCell = iota
	tagEstimate
	tagBucket  // series<<3 | part
	tagReading // value
	tagPath    // node<<valueBits | value
	tagBits    = 3
)

var byTag = [...]*table{tagCell: cells, tagEstimate: estimates, tagBucket: buckets, tagReading: readings, tagPath: paths}

// Series of buckets. From seriesReadings on each value of a reading has two: inclusive and self.
const (
	seriesTimes    = iota
	seriesFirst    // times of first calls
	seriesSizes    // times, by input size
	seriesLogs     // logarithms of times, by input size
	seriesLengths  // input sizes, by input size
	seriesReadings = 8
)

// Flags of a cell.
const (
	flagTimed  = 1 << iota // not only counted
	flagUnsure             // of an estimate
	flagOff                // the first of the reasons for not collecting, in the order of profile.OffReasons without its first element
)

var offReasons = profile.OffReasons()

// names returns the number of a collector or of one of its values.
type names func(n name) int64

type name struct {
	collector string
	value     string
	of        bool // it is a value, not the collector itself
}

// A packer encodes statistics as parts of cells.
type packer struct {
	row   [rowWidth]int64
	parts []part
	out   []byte
}

type part struct {
	tag        uint64
	start, end int // offsets in out
}

// marker returns the parts that a marker adds to its cell, sorted by tag, without duplicates. They
// are valid until the next call.
func (p *packer) marker(m *profile.Marker, numbers names) []byte {
	p.parts, p.out = p.parts[:0], p.out[:0]
	cells.clear(&p.row)
	r := &p.row
	r[cellRuns], r[cellCount], r[cellOpen], r[cellSelf], r[cellNested], r[cellTicks] = toColumn(m.Runs), toColumn(m.Count), toColumn(m.Open), toColumn(m.SelfNS), toColumn(m.NestedNS), toColumn(m.Ticks)
	if len(m.Buckets) > 0 {
		r[cellMin], r[cellMax] = toColumn(m.MinNS), toColumn(m.MaxNS)
	}
	if len(m.First.Buckets) > 0 {
		r[cellFirstMin], r[cellFirstMax] = toColumn(m.First.MinNS), toColumn(m.First.MaxNS)
	}
	r[cellSample] = toColumn(m.Sample)
	if !m.CountOnly {
		r[cellFlags] = flagTimed
	}
	if m.Unsure {
		r[cellFlags] |= flagUnsure
	}
	if off := slices.Index(offReasons, m.Off); off > 0 {
		r[cellFlags] |= flagOff << (off - 1)
	}
	p.part(tagCell)

	if m.Samples|m.Seen != 0 || m.CountVar != (profile.Uint128{}) || m.SumVar != (profile.Uint128{}) || m.Picks != nil {
		estimates.clear(&p.row)
		r[estimateSamples], r[estimateSeen] = toColumn(m.Samples), toColumn(m.Seen)
		r[estimateCountVar], r[estimateCountVarHi] = toColumns(m.CountVar)
		r[estimateSumVar], r[estimateSumVarHi] = toColumns(m.SumVar)
		if s := m.Picks; s != nil {
			r[estimatePicks] = toColumn(s.Runs)
			r[estimateWeight], r[estimateWeightHi] = toColumns(s.Weight)
			r[estimatePicked], r[estimatePickedHi] = toColumns(s.Scopes)
			r[estimatePickedVar], r[estimatePickedVarHi] = toColumns(s.ScopesVar)
		}
		p.part(tagEstimate)
	}

	series(p, seriesTimes, m.Buckets, timesOf)
	series(p, seriesFirst, m.First.Buckets, timesOf)
	if len(m.Sizes) > 0 {
		series(p, seriesSizes, m.Sizes, func(b *profile.SizeBucket) (uint8, uint64, uint64, profile.Uint128) {
			return b.K, b.Count, b.SumNS, b.SumSq
		})
		series(p, seriesLogs, m.Sizes, func(b *profile.SizeBucket) (uint8, uint64, uint64, profile.Uint128) {
			return b.K, b.Logged, b.SumLog, profile.Uint128{Lo: b.SumLogSq}
		})
		series(p, seriesLengths, m.Sizes, func(b *profile.SizeBucket) (uint8, uint64, uint64, profile.Uint128) {
			return b.K, 0, 0, b.SumSize
		})
	}
	for i := range m.Readings {
		reading := &m.Readings[i]
		r[0], r[1], r[2] = toColumn(reading.Scopes), toColumn(reading.Dropped), 0
		p.part(tagReading | uint64(numbers(name{collector: reading.Collector}))<<tagBits)
		for k := range reading.Values {
			v := &reading.Values[k]
			number := numbers(name{reading.Collector, v.Name, true})
			r[0], r[1], r[2] = toColumn(v.Sum), toColumn(v.Self), toColumn(v.Nested)
			p.part(tagReading | uint64(number)<<tagBits)
			series(p, seriesReadings+2*uint64(number), v.Buckets, differencesOf)
			series(p, seriesReadings+2*uint64(number)+1, v.SelfBuckets, differencesOf)
		}
	}
	if len(m.Readings) > 0 {
		p.sort()
	}
	return p.out
}

func timesOf(b *profile.Bucket) (uint8, uint64, uint64, profile.Uint128) {
	return b.K, b.Count, b.SumNS, b.SumSq
}

func differencesOf(b *profile.ValueBucket) (uint8, uint64, uint64, profile.Uint128) {
	return b.K, b.Count, b.Sum, b.SumSq
}

// series appends the parts for a list of buckets, sorted by K.
func series[B any](p *packer, number uint64, list []B, of func(*B) (k uint8, count, sum uint64, sq profile.Uint128)) {
	open := -1
	for i := range list {
		k, count, sum, sq := of(&list[i])
		if count|sum == 0 && sq == (profile.Uint128{}) {
			continue
		}
		if at := int(k / bucketsPerRow); at != open {
			if open >= 0 {
				p.part(tagBucket | (number<<3|uint64(open))<<tagBits)
			}
			open = at
			p.row = [rowWidth]int64{}
		}
		at := int(k%bucketsPerRow) * 4
		p.row[at], p.row[at+1] = toColumn(count), toColumn(sum)
		p.row[at+2], p.row[at+3] = toColumns(sq)
	}
	if open >= 0 {
		p.part(tagBucket | (number<<3|uint64(open))<<tagBits)
	}
}

// part appends the row as a part with this tag.
func (p *packer) part(tag uint64) {
	start := len(p.out)
	p.out = binary.AppendUvarint(p.out, tag)
	p.out = byTag[tag%(1<<tagBits)].pack(p.out, &p.row)
	p.parts = append(p.parts, part{tag, start, len(p.out)})
}

// sort sorts the parts by tag and merges equal tags: two collectors or values whose names are equal
// once cleaned share one.
func (p *packer) sort() {
	slices.SortFunc(p.parts, func(a, b part) int { return cmp.Compare(a.tag, b.tag) })
	sorted := make([]byte, 0, len(p.out))
	var parts []part
	for list := p.parts; len(list) > 0; {
		start := len(sorted)
		n := 1
		for n < len(list) && list[n].tag == list[0].tag {
			n++
		}
		if n == 1 {
			sorted = append(sorted, p.out[list[0].start:list[0].end]...)
		} else {
			t := byTag[list[0].tag%(1<<tagBits)]
			t.clear(&p.row)
			for _, at := range list[:n] {
				_, tag := binary.Uvarint(p.out[at.start:])
				t.unpack(&p.row, p.out[at.start+tag:])
			}
			sorted = t.pack(binary.AppendUvarint(sorted, list[0].tag), &p.row)
		}
		parts = append(parts, part{list[0].tag, start, len(sorted)})
		list = list[n:]
	}
	p.out, p.parts = sorted, parts
}

// skip returns the bytes after the first part of b, whose tag has been read.
func skip(b []byte) []byte {
	has, n := binary.Uvarint(b)
	b = b[n:]
	for ; has != 0; has &= has - 1 {
		for b[0] >= 0x80 {
			b = b[1:]
		}
		b = b[1:]
	}
	return b
}

// mergeParts appends the sum of two lists of parts, both sorted by tag.
func mergeParts(sum, a, b []byte) []byte {
	var row [rowWidth]int64
	for len(a) > 0 && len(b) > 0 {
		tag, n := binary.Uvarint(a)
		other, k := binary.Uvarint(b)
		switch {
		case tag < other:
			rest := skip(a[n:])
			sum, a = append(sum, a[:len(a)-len(rest)]...), rest
		case tag > other:
			rest := skip(b[k:])
			sum, b = append(sum, b[:len(b)-len(rest)]...), rest
		default:
			t := byTag[tag%(1<<tagBits)]
			t.clear(&row)
			a, b = t.unpack(&row, a[n:]), t.unpack(&row, b[k:])
			sum = t.pack(binary.AppendUvarint(sum, tag), &row)
		}
	}
	return append(append(sum, a...), b...)
}
