package codec

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/markgen/markgen/filewrite"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/table"
	"github.com/markgen/markgen/registry"
)

// Magic is the prefix of every profile file.
const Magic = "markgen\x01"

// A profile file (see docs/reference/profile-file.md) has a header of headSize bytes: Magic, the version
// (u32) and the checksum (u32) of the rest. Then follow three sections, each preceded by its length
// (u32): the description of the runs, the text of a table that names markers and blocks, and their
// data. Numbers are little-endian.
const (
	version  = 2
	headSize = 16
)

// MaxSize is the maximum size of a profile file in bytes.
const MaxSize = 4*table.MaxText - 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Write writes p to a profile file, completely or not at all. Decode returns what was written,
// including everything needed for merging. A profile does not contain trace records.
func Write(name string, p *profile.Profile) error {
	file, err := Encode(p)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return filewrite.Write(context.Background(), name, file)
}

// Encode returns p as a profile file. It returns an error if a marker's name, kind or place can't
// be represented in a table, or if there are duplicates; profiles from data files and sums have
// none.
func Encode(p *profile.Profile) ([]byte, error) {
	text, err := tableOf(p)
	if err != nil {
		return nil, err
	}
	if uint64(len(text)) > table.MaxText {
		return nil, fmt.Errorf("names of %d bytes, and a profile file can have %d", len(text), table.MaxText)
	}
	onPaths, err := pathMarkers(p)
	if err != nil {
		return nil, err
	}
	b := make(encoder, headSize, headSize+len(text)/4+64*len(p.Markers))
	b.section(func() { b.head(p) })
	b.section(func() { b = append(b, table.Pack(text)...) })
	b.section(func() {
		for i := range p.Markers {
			b.figures(&p.Markers[i], p.Newest)
		}
		for i := range p.Blocks {
			b.uint(p.Blocks[i].Count)
		}
		if p.Wild != nil {
			b.picks(p)
		}
		if p.Paths != nil {
			b.paths(p.Paths, onPaths)
		}
	})
	if uint64(len(b)) > MaxSize {
		return nil, fmt.Errorf("%d bytes, and a profile file can have %d", len(b), MaxSize)
	}
	copy(b, Magic)
	binary.LittleEndian.PutUint32(b[8:], version)
	binary.LittleEndian.PutUint32(b[12:], crc32.Checksum(b[headSize:], castagnoli))
	return b, nil
}

// tableOf returns the text of a table with the markers and blocks of p, in order.
func tableOf(p *profile.Profile) (string, error) {
	var text strings.Builder
	seen := make(map[registry.ID]bool, len(p.Markers))
	files := map[string]int{}
	file := func(name string) int {
		i, ok := files[name]
		if !ok {
			i = len(files)
			files[name] = i
			fmt.Fprintf(&text, "f\t%s\n", name)
		}
		return i
	}
	var line []byte
	importPath := ""
	for i := range p.Markers {
		m := &p.Markers[i]
		if m.Package != "" && (!sound(m.Package, "\n") || strings.Contains(m.Package, " [") || !strings.HasPrefix(m.Name, m.Package+".")) {
			return "", fmt.Errorf("a marker with the name %q in the package %q can't be written", m.Name, m.Package)
		}
		if m.Package != importPath {
			importPath = m.Package
			fmt.Fprintf(&text, "p\t%s\n", importPath)
		}
		if m.ID == 0 || m.Name == "" || m.Kind == "" || m.Line < 0 || m.Col < 0 ||
			!sound(m.Name, "\n") || !sound(m.File, "\n") || !sound(m.Kind, "\n\t") || !sound(m.Group, "\n\t") {
			return "", fmt.Errorf("a marker with the ID %s, the name %q, the kind %q, the group %q and the place %q:%d:%d can't be written", m.ID, m.Name, m.Kind, m.Group, m.File, m.Line, m.Col)
		}
		if seen[m.ID] {
			return "", fmt.Errorf("the marker with the ID %s is there twice, which can't be written", m.ID)
		}
		seen[m.ID] = true
		if what := m.Repeats(); what != "" {
			return "", fmt.Errorf("the marker with the ID %s has %s twice, which can't be written", m.ID, what)
		}
		n, flags := file(m.File), ""
		if m.CountOnly {
			flags = "c"
		}
		if m.FollowsCall {
			flags += "t"
		}
		line = fmt.Appendf(line[:0], "m\t%s\t%s\t%d\t%d\t%d\t0\t%s\t%s\t1\t%s\n", m.ID, m.Kind, n, m.Line, m.Col, cmp.Or(flags, "-"), cmp.Or(m.Group, "-"), m.Name)
		text.Write(line)
		if m.Guess {
			fmt.Fprintf(&text, "g\t%s\n", m.ID)
		}
	}
	for i, b := range p.Blocks {
		if !sound(b.File, "\n") || strings.Contains(b.File, " [") || min(b.StartLine, b.StartCol, b.EndLine, b.EndCol, b.NumStmt) < 0 {
			return "", fmt.Errorf("a block in %q can't be written", b.File)
		}
		if dir := path.Dir(b.File); dir != importPath || i == 0 {
			importPath = dir
			fmt.Fprintf(&text, "p\t%s\n", dir)
		}
		n := file(path.Base(b.File))
		line = fmt.Appendf(line[:0], "b\t%d\t%d\t%d\t%d\t%d\t%d\n", n, b.StartLine, b.StartCol, b.EndLine, b.EndCol, b.NumStmt)
		text.Write(line)
	}
	return text.String(), nil
}

// sound reports whether s is valid in a table and has none of the characters in without.
func sound(s, without string) bool { return utf8.ValidString(s) && !strings.ContainsAny(s, without) }

// An encoder is the bytes encoded so far.
type encoder []byte

// section appends what f appends, preceded by its length.
func (b *encoder) section(f func()) {
	*b = append(*b, 0, 0, 0, 0)
	start := len(*b)
	f()
	binary.LittleEndian.PutUint32((*b)[start-4:], uint32(len(*b)-start))
}

func (b *encoder) uint(n uint64) { *b = binary.AppendUvarint(*b, n) }
func (b *encoder) int(n int64)   { *b = binary.AppendVarint(*b, n) }
func (b *encoder) word(n uint64) { *b = binary.LittleEndian.AppendUint64(*b, n) }

func (b *encoder) uint128(n profile.Uint128) {
	b.uint(n.Lo)
	b.uint(n.Hi)
}

func (b *encoder) uints(list ...uint64) {
	for _, n := range list {
		b.uint(n)
	}
}

func (b *encoder) text(s string) {
	b.uint(uint64(len(s)))
	*b = append(*b, s...)
}

// Bits in the description of the runs.
const (
	bitComplete = 1 << iota
	bitAlive
	bitNoSelf
	bitDamaged
	bitUntimed
	bitMoreWarnings
	bitSampling
	bitTrace
	bitStart
	bitPairs
	bitWild
	bitUnlogged
	bitCost
	bitPaths
	bitBudget
	bitsKnown = iota // number of bits
)

// bitIf returns bit if the condition is true, else 0.
func bitIf(is bool, bit uint64) uint64 {
	if is {
		return bit
	}
	return 0
}

func (b *encoder) head(p *profile.Profile) {
	b.uint(bitIf(p.Complete, bitComplete) | bitIf(p.Alive, bitAlive) | bitIf(p.NoSelf, bitNoSelf) | bitIf(p.Damaged, bitDamaged) |
		bitIf(p.Untimed, bitUntimed) | bitIf(p.MoreWarnings, bitMoreWarnings) | bitIf(p.Sampling != nil, bitSampling) | bitIf(p.Trace != nil, bitTrace) |
		bitIf(!p.Start.IsZero(), bitStart) | bitIf(p.Pairs != nil, bitPairs) | bitIf(p.Wild != nil, bitWild) | bitIf(p.Unlogged != 0, bitUnlogged) | bitIf(p.Cost != nil, bitCost) |
		bitIf(p.Paths != nil, bitPaths) | bitIf(p.BudgetPPM != 0, bitBudget))
	b.text(p.App)
	b.text(p.Run)
	b.uint(uint64(p.Runs))
	if !p.Start.IsZero() {
		b.int(p.Start.UnixNano())
	}
	b.int(p.Newest)
	b.uint(p.ElapsedNS)
	b.text(p.Clock.Kind)
	for _, f := range []float64{p.Clock.Hz, p.Clock.QuantumNS, p.Clock.ReadNS, p.Clock.InsideNS, p.Clock.WholeNS} {
		b.word(math.Float64bits(f))
	}
	b.text(p.GOOS)
	b.text(p.GOARCH)
	b.text(p.Go)
	b.text(p.State)
	b.text(p.CPU)
	b.text(p.Main)
	b.text(p.Version)
	b.uint(p.Lost)
	if s := p.Sampling; s != nil {
		b.uints(s.N, s.Windows, s.OpenNS, s.NetNS, s.OfNS)
	}
	if t := p.Trace; t != nil {
		b.uints(t.Records, t.Lost)
	}
	b.uint(uint64(len(p.Changes)))
	for _, c := range p.Changes {
		b.uint(c.AtNS)
		b.text(c.From)
		b.text(c.To)
		b.text(c.Cause)
		b.word(uint64(c.Marker))
	}
	b.uint(uint64(len(p.Warnings)))
	for _, w := range p.Warnings {
		b.text(w)
	}
	if p := p.Pairs; p != nil {
		b.uints(p.Runs, p.Lost, uint64(len(p.List)))
		for _, pair := range p.List {
			b.word(uint64(pair[0]))
			b.word(uint64(pair[1]))
		}
	}
	if w := p.Wild; w != nil {
		b.uints(w.Runs, w.Picked, w.Of, w.Loaded, w.Full, w.NoPlace)
	}
	if p.Unlogged != 0 {
		b.uint(p.Unlogged)
	}
	if c := p.Cost; c != nil {
		b.uints(c.Runs, c.CPUNS, c.MarkersNS)
	}
	if p.BudgetPPM != 0 {
		b.uint(p.BudgetPPM)
	}
}

// picks appends how often each marker was picked at random.
func (b *encoder) picks(p *profile.Profile) {
	for i := range p.Markers {
		picks := p.Markers[i].Picks
		if picks == nil {
			b.uint(0)
			continue
		}
		b.uint(picks.Runs)
		b.uint128(picks.Weight)
		b.uint128(picks.Scopes)
		b.uint128(picks.ScopesVar)
	}
}

// Bits that say which data of a marker follow.
const (
	bitOpen = 1 << iota
	bitTimed
	bitSampled
	bitUnsure
	bitCallers
	bitReadings
	bitSizes
	bitOff // times the index in offReasons, which is less than offRoom
)

const (
	offRoom  = 8
	bitFirst = bitOff * offRoom
	bitLogs  = bitFirst * 2 // logarithms of times by size
	bitNotes = bitLogs * 2
	bitRuns  = bitNotes * 2

	bitLevels = bitRuns * 2
)

// The file has indexes into offReasons.
var offReasons = profile.OffReasons()

// impliedRuns is the value of Marker.Runs that is omitted in a file: most profiles are of one run.
func impliedRuns(scopes uint64) uint64 { return min(scopes, 1) }

func (b *encoder) figures(m *profile.Marker, newest int64) {
	timed := len(m.Buckets) > 0 || m.SelfNS|m.NestedNS|m.MinNS|m.MaxNS|m.Ticks != 0
	sampled := m.Sample|m.Samples|m.Seen != 0 || m.CountVar != profile.Uint128{} || m.SumVar != profile.Uint128{}
	b.uint(bitIf(m.Open > 0, bitOpen) | bitIf(timed, bitTimed) | bitIf(sampled, bitSampled) | bitIf(m.Unsure, bitUnsure) |
		bitIf(len(m.Callers) > 0, bitCallers) | bitIf(len(m.Readings) > 0, bitReadings) | bitIf(len(m.Sizes) > 0, bitSizes) | bitIf(len(m.First.Buckets) > 0, bitFirst) | bitIf(hasLogs(m.Sizes), bitLogs) | bitIf(len(m.Notes) > 0, bitNotes) | bitIf(m.Runs != impliedRuns(m.Count), bitRuns) | bitIf(m.Levels != (profile.Levels{}), bitLevels) | bitOff*uint64(max(0, slices.Index(offReasons, m.Off))))
	b.int(newest - m.AsOf)
	b.uint(m.Count)
	if m.Open > 0 {
		b.uint(m.Open)
	}
	if timed {
		b.uints(m.SelfNS, m.NestedNS, m.MinNS, m.MaxNS, m.Ticks)
		b.buckets(m.Buckets)
	}
	if sampled {
		b.uints(m.Sample, m.Samples, m.Seen)
		b.uint128(m.CountVar)
		b.uint128(m.SumVar)
	}
	if len(m.Callers) > 0 {
		b.uint(uint64(len(m.Callers)))
		for i := range m.Callers {
			c := &m.Callers[i]
			b.word(uint64(c.ID))
			b.text(c.Name)
			b.figures(&c.Marker, c.Marker.AsOf)
		}
	}
	if len(m.Readings) > 0 {
		b.readings(m.Readings)
	}
	if len(m.Sizes) > 0 {
		b.uint(uint64(len(m.Sizes)))
		for i := range m.Sizes {
			s := &m.Sizes[i]
			b.uints(uint64(s.K), s.Count)
			b.uint128(s.SumSize)
			b.uint(s.SumNS)
			b.uint128(s.SumSq)
		}
	}
	if f := &m.First; len(f.Buckets) > 0 {
		b.uints(f.MinNS, f.MaxNS)
		b.buckets(f.Buckets)
	}
	if hasLogs(m.Sizes) {
		for i := range m.Sizes {
			s := &m.Sizes[i]
			b.uints(s.Logged, s.SumLog, s.SumLogSq)
		}
	}
	if len(m.Notes) > 0 {
		b.uint(uint64(len(m.Notes)))
		for _, note := range m.Notes {
			b.text(note)
		}
	}
	if m.Runs != impliedRuns(m.Count) {
		b.uint(m.Runs)
	}
	if l := m.Levels; l != (profile.Levels{}) {
		b.uints(l.TimedNS, l.CountedNS, l.OffNS)
	}
}

func (b *encoder) readings(list []profile.Reading) {
	b.uint(uint64(len(list)))
	for _, r := range list {
		b.text(r.Collector)
		b.uints(r.Scopes, r.Dropped, uint64(len(r.Values)))
		for _, v := range r.Values {
			b.text(v.Name)
			b.uints(v.Sum, v.Self, v.Nested)
			b.spread(v.Buckets)
			b.spread(v.SelfBuckets)
		}
	}
}

// hasLogs reports whether any size has logarithms of times.
func hasLogs(sizes []profile.SizeBucket) bool {
	return slices.ContainsFunc(sizes, func(s profile.SizeBucket) bool { return s.Logged|s.SumLog|s.SumLogSq != 0 })
}

func (b *encoder) buckets(list []profile.Bucket) {
	b.uint(uint64(len(list)))
	for i := range list {
		c := &list[i]
		b.uints(uint64(c.K), c.Count, c.SumNS)
		b.uint128(c.SumSq)
	}
}

func (b *encoder) spread(list []profile.ValueBucket) {
	b.uint(uint64(len(list)))
	for i := range list {
		s := &list[i]
		b.uints(uint64(s.K), s.Count, s.Sum)
		b.uint128(s.SumSq)
	}
}
