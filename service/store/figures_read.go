package store

import (
	"cmp"
	"maps"
	"slices"

	"github.com/markgen/markgen/profile"
)

// A figures is a sum of cells: rows of the statistics tables by tag.
type figures map[uint64]*[rowWidth]int64

// add adds a row.
func (f figures) add(tag uint64, values []int64) {
	t := byTag[tag%(1<<tagBits)]
	row := f[tag]
	if row == nil {
		row = new([rowWidth]int64)
		t.clear(row)
		f[tag] = row
	}
	for i, v := range values {
		t.add(row, i, v)
	}
}

// marker sets the statistics of m, which has its name and position already.
func (f figures) marker(m *profile.Marker, nameOf func(number int64) name) {
	if r := f[tagCell]; r != nil {
		m.Runs, m.Count, m.Open, m.SelfNS, m.NestedNS, m.Ticks = fromColumn(r[cellRuns]), fromColumn(r[cellCount]), fromColumn(r[cellOpen]), fromColumn(r[cellSelf]), fromColumn(r[cellNested]), fromColumn(r[cellTicks])
		m.MinNS, m.MaxNS = fromColumn(r[cellMin]), fromColumn(r[cellMax])
		m.First.MinNS, m.First.MaxNS = fromColumn(r[cellFirstMin]), fromColumn(r[cellFirstMax])
		m.Sample = fromColumn(r[cellSample])
		m.CountOnly = r[cellFlags]&flagTimed == 0
		m.Unsure = r[cellFlags]&flagUnsure != 0
		for i, why := range offReasons[1:] {
			if r[cellFlags]&(flagOff<<i) != 0 {
				m.Off = why
			}
		}
	}
	if r := f[tagEstimate]; r != nil {
		m.Samples, m.Seen = fromColumn(r[estimateSamples]), fromColumn(r[estimateSeen])
		m.CountVar, m.SumVar = fromColumns(r[estimateCountVar], r[estimateCountVarHi]), fromColumns(r[estimateSumVar], r[estimateSumVarHi])
		if r[estimatePicks] > 0 {
			m.Picks = &profile.Picks{Runs: fromColumn(r[estimatePicks]), Weight: fromColumns(r[estimateWeight], r[estimateWeightHi]), Scopes: fromColumns(r[estimatePicked], r[estimatePickedHi]), ScopesVar: fromColumns(r[estimatePickedVar], r[estimatePickedVarHi])}
		}
	}

	sizes := map[uint8]*profile.SizeBucket{}
	readings := map[string]*profile.Reading{}
	values := map[name]*profile.Value{}
	reading := func(collector string) *profile.Reading {
		if readings[collector] == nil {
			readings[collector] = &profile.Reading{Collector: collector}
		}
		return readings[collector]
	}
	value := func(n name) *profile.Value {
		reading(n.collector)
		if values[n] == nil {
			values[n] = &profile.Value{Name: n.value}
		}
		return values[n]
	}
	for _, tag := range slices.Sorted(maps.Keys(f)) {
		row, sub := f[tag], tag>>tagBits
		switch tag % (1 << tagBits) {
		case tagReading:
			switch n := nameOf(int64(sub)); {
			case n.of:
				v := value(n)
				v.Sum, v.Self, v.Nested = fromColumn(row[0]), fromColumn(row[1]), fromColumn(row[2])
			default:
				r := reading(n.collector)
				r.Scopes, r.Dropped = fromColumn(row[0]), fromColumn(row[1])
			}
		case tagBucket:
			number := sub >> 3
			for i := range bucketsPerRow {
				k := uint8(sub%8)*bucketsPerRow + uint8(i)
				count, sum, sq := fromColumn(row[4*i]), fromColumn(row[4*i+1]), fromColumns(row[4*i+2], row[4*i+3])
				if count|sum == 0 && sq == (profile.Uint128{}) {
					continue
				}
				size := func() *profile.SizeBucket {
					if sizes[k] == nil {
						sizes[k] = &profile.SizeBucket{K: k}
					}
					return sizes[k]
				}
				switch number {
				case seriesTimes:
					m.Buckets = append(m.Buckets, profile.Bucket{K: k, Count: count, SumNS: sum, SumSq: sq})
				case seriesFirst:
					m.First.Buckets = append(m.First.Buckets, profile.Bucket{K: k, Count: count, SumNS: sum, SumSq: sq})
				case seriesSizes:
					b := size()
					b.Count, b.SumNS, b.SumSq = count, sum, sq
				case seriesLogs:
					b := size()
					b.Logged, b.SumLog, b.SumLogSq = count, sum, lowest(sq)
				case seriesLengths:
					size().SumSize = sq
				default:
					v := value(nameOf(int64(number-seriesReadings) / 2))
					bucket := profile.ValueBucket{K: k, Count: count, Sum: sum, SumSq: sq}
					if (number-seriesReadings)%2 == 0 {
						v.Buckets = append(v.Buckets, bucket)
					} else {
						v.SelfBuckets = append(v.SelfBuckets, bucket)
					}
				}
			}
		}
	}
	if len(m.Buckets) == 0 {
		m.MinNS, m.MaxNS = 0, 0
	}
	if len(m.First.Buckets) == 0 {
		m.First.MinNS, m.First.MaxNS = 0, 0
	}
	for _, k := range slices.Sorted(maps.Keys(sizes)) {
		m.Sizes = append(m.Sizes, *sizes[k])
	}
	for n, v := range values {
		r := reading(n.collector)
		r.Values = append(r.Values, *v)
	}
	for _, collector := range slices.Sorted(maps.Keys(readings)) {
		r := readings[collector]
		slices.SortFunc(r.Values, func(a, b profile.Value) int { return cmp.Compare(a.Name, b.Name) })
		m.Readings = append(m.Readings, *r)
	}
}

// lowest converts n to 64 bits; the maximum if it does not fit.
func lowest(n profile.Uint128) uint64 {
	if n.Hi > 0 {
		return 1<<64 - 1
	}
	return n.Lo
}
