package codec

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/table"
	"github.com/markgen/markgen/registry"
)

// Decode decodes a profile file. It returns what was passed to Encode. The name stands for the file
// in errors.
func Decode(file []byte, name string) (*profile.Profile, error) {
	var sum profile.Sum
	if err := new(Decoder).AddTo(&sum, file, name); err != nil {
		return nil, err
	}
	return sum.Finish(), nil
}

// ErrPaths is returned for a file with more call paths than a Decoder takes.
var ErrPaths = errors.New("more call paths than")

// A Decoder adds profile files to one sum, and reuses memory. The zero value is ready for use.
type Decoder struct {
	MaxPaths int // max number of call paths in a file; 0 for no limit

	tables  table.Cache
	last    *table.Table      // of the latest file; the next one often has the same
	sums    []*profile.Marker // markers of the sum, by index in last.Markers
	figures []profile.Marker  // markers of the current file
	buckets []profile.Bucket  // buckets of the current file
}

// decoded is a complete profile file, before anything is added.
type decoded struct {
	profile *profile.Profile // without markers and blocks
	table   *table.Table
	figures []profile.Marker // by index in table.Markers, in memory reused for the next file
	counts  []uint64         // counts of the table's blocks
}

// AddTo adds a profile file to sum, which must always be the same for a Decoder. On error the sum
// is unchanged. The name stands for the file in errors.
func (d *Decoder) AddTo(sum *profile.Sum, file []byte, name string) error {
	all, err := d.decode(file, name)
	if err != nil {
		return err
	}
	if all.table != d.last {
		d.last, d.sums = all.table, d.sums[:0]
		for _, m := range all.table.Markers {
			d.sums = append(d.sums, sum.Marker(m.ID))
		}
	}
	sum.AddHead(all.profile)
	for i, m := range all.table.Markers {
		to, figures := d.sums[i], &all.figures[i]
		to.UpdateName(m, figures.AsOf)
		to.Sample = max(to.Sample, figures.Sample)
		to.Add(figures)
	}
	for i, c := range all.table.Counters {
		sum.AddBlock(*c.Block, all.counts[i])
	}
	return nil
}

// damaged returns an error about a place in a file.
func damaged(name string, offset int, format string, args ...any) error {
	return fmt.Errorf("%s: offset %d: %s", name, offset, fmt.Sprintf(format, args...))
}

// decode decodes a profile file, completely or not at all.
func (d *Decoder) decode(file []byte, name string) (decoded, error) {
	none := decoded{}
	if len(file) < headSize {
		return none, damaged(name, len(file), "the file ends here; it was cut off")
	}
	if string(file[:len(Magic)]) != Magic {
		return none, damaged(name, 0, "it does not begin as a profile file does")
	}
	if v := binary.LittleEndian.Uint32(file[8:]); v != version {
		return none, damaged(name, 8, "%v", &VersionError{v, version})
	}
	if crc32.Checksum(file[headSize:], castagnoli) != binary.LittleEndian.Uint32(file[12:]) {
		return none, damaged(name, 12, "the checksum is not that of the file; it is damaged, or was cut off")
	}
	r := reader{rest: file[headSize:]}
	head, text, figures := r.section(), r.section(), r.section()
	if r.bad || len(r.rest) > 0 {
		return none, damaged(name, headSize, "its sections do not make up the file")
	}
	p := head.head()
	if head.bad || len(head.rest) > 0 {
		return none, damaged(name, headSize, "what it says of the runs can't be read")
	}
	at := cap(file) - cap(text.rest)
	t, err := d.tables.Parse(text.rest)
	switch {
	case err != nil:
		return none, damaged(name, at, "a table that can't be read (%v)", err)
	case t.Bad > 0:
		return none, damaged(name, at, "line %d of the table: %.80q can't be read", t.Damages[0].Number, t.Damages[0].Line)
	}
	if t.Twice() {
		return none, damaged(name, at, "a marker that the table has twice")
	}
	at = cap(file) - cap(figures.rest)
	if 3*len(t.Markers)+len(t.Counters) > len(figures.rest) {
		return none, damaged(name, at, "figures that are fewer than the table names")
	}
	d.figures, d.buckets = slices.Grow(d.figures[:0], len(t.Markers))[:len(t.Markers)], d.buckets[:0]
	clear(d.figures)
	all := decoded{p, t, d.figures, make([]uint64, len(t.Counters))}
	for i := range all.figures {
		m := &all.figures[i]
		figures.figures(m, p.Newest, d, true)
		if what := m.Repeats(); what != "" {
			return none, damaged(name, at, "figures of marker %s that have %s twice", t.Markers[i].ID, what)
		}
	}
	for i, c := range t.Counters {
		figures.bad = figures.bad || c.Block == nil
		all.counts[i] = figures.uint()
	}
	if p.Wild != nil {
		for i := range all.figures {
			all.figures[i].Picks = figures.picks()
		}
	}
	if p.Paths != nil {
		p.Paths = figures.paths(func(i int) registry.ID { return t.Markers[i].ID }, len(t.Markers), cmp.Or(d.MaxPaths, math.MaxInt))
		if p.Paths == nil {
			return none, fmt.Errorf("%s: %w %d", name, ErrPaths, d.MaxPaths)
		}
	}
	if figures.bad || len(figures.rest) > 0 {
		return none, damaged(name, at, "figures that can't be read")
	}
	return all, nil
}

// A reader reads from the front of rest. After invalid input bad is set, and it returns zeros.
type reader struct {
	rest []byte
	bad  bool
}

// section returns a reader of the next section.
func (r *reader) section() reader {
	if len(r.rest) < 4 || uint64(binary.LittleEndian.Uint32(r.rest)) > uint64(len(r.rest)-4) {
		r.fail()
		return reader{bad: true}
	}
	n := binary.LittleEndian.Uint32(r.rest)
	s := reader{rest: r.rest[4:][:n]}
	r.rest = r.rest[4+n:]
	return s
}

func (r *reader) fail() { r.rest, r.bad = nil, true }

func (r *reader) uint() uint64 {
	if len(r.rest) > 0 && r.rest[0] < 0x80 {
		n := r.rest[0]
		r.rest = r.rest[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) int() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) word() uint64 {
	if len(r.rest) < 8 {
		r.fail()
		return 0
	}
	n := binary.LittleEndian.Uint64(r.rest)
	r.rest = r.rest[8:]
	return n
}

func (r *reader) float() float64 {
	f := math.Float64frombits(r.word())
	if math.IsNaN(f) || f < 0 || math.IsInf(f, 0) {
		r.fail()
	}
	return f
}

func (r *reader) uint128() profile.Uint128 {
	lo := r.uint()
	return profile.Uint128{Hi: r.uint(), Lo: lo}
}

func (r *reader) text() string {
	n := r.uint()
	if n > uint64(len(r.rest)) || !utf8.Valid(r.rest[:n]) {
		r.fail()
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}

// count reads the number of elements that follow, each of which takes at least that many bytes.
func (r *reader) count(least int) int {
	n := r.uint()
	if n > uint64(len(r.rest)/least) {
		r.fail()
		return 0
	}
	return int(n)
}

// head reads the first section. If there are paths it sets p.Paths, whose nodes are in the third.
func (r *reader) head() *profile.Profile {
	bits := r.uint()
	if bits >= 1<<bitsKnown {
		r.fail()
	}
	p := &profile.Profile{
		Complete:     bits&bitComplete != 0,
		Alive:        bits&bitAlive != 0,
		NoSelf:       bits&bitNoSelf != 0,
		Damaged:      bits&bitDamaged != 0,
		Untimed:      bits&bitUntimed != 0,
		MoreWarnings: bits&bitMoreWarnings != 0,
		App:          r.text(),
		Run:          r.text(),
	}
	runs := r.uint()
	if p.Runs = int(runs); runs > math.MaxInt32 {
		r.fail()
	}
	if bits&bitStart != 0 {
		p.Start = time.Unix(0, r.int()).UTC()
	}
	p.Newest = r.int()
	p.ElapsedNS = r.uint()
	p.Clock = profile.Clock{Kind: r.text(), Hz: r.float(), QuantumNS: r.float(), ReadNS: r.float(), InsideNS: r.float(), WholeNS: r.float()}
	p.GOOS, p.GOARCH, p.Go, p.State = r.text(), r.text(), r.text(), r.text()
	p.CPU, p.Main, p.Version = r.text(), r.text(), r.text()
	p.Lost = r.uint()
	if bits&bitSampling != 0 {
		p.Sampling = &profile.Sampling{N: r.uint(), Windows: r.uint(), OpenNS: r.uint(), NetNS: r.uint(), OfNS: r.uint()}
	}
	if bits&bitTrace != 0 {
		p.Trace = &profile.Traced{Records: r.uint(), Lost: r.uint()}
	}
	for range r.count(12) {
		p.Changes = append(p.Changes, profile.Change{AtNS: r.uint(), From: r.text(), To: r.text(), Cause: r.text(), Marker: registry.ID(r.word())})
	}
	for range r.count(1) {
		p.Warnings = append(p.Warnings, r.text())
	}
	if bits&bitPairs != 0 {
		p.Pairs = r.pairs()
	}
	if bits&bitWild != 0 {
		p.Wild = &profile.Wild{Runs: r.uint(), Picked: r.uint(), Of: r.uint(), Loaded: r.uint(), Full: r.uint(), NoPlace: r.uint()}
	}
	if bits&bitUnlogged != 0 {
		p.Unlogged = r.uint()
	}
	if bits&bitCost != 0 {
		p.Cost = &profile.Cost{Runs: r.uint(), CPUNS: r.uint(), MarkersNS: r.uint()}
	}
	if bits&bitBudget != 0 {
		p.BudgetPPM = r.uint()
	}
	if bits&bitPaths != 0 {
		p.Paths = &profile.Paths{}
	}
	return p
}

func (r *reader) pairs() *profile.Pairs {
	p := &profile.Pairs{Runs: r.uint(), Lost: r.uint()}
	p.List = make([]profile.Pair, r.count(16))
	for i := range p.List {
		p.List[i] = profile.Pair{registry.ID(r.word()), registry.ID(r.word())}
		if p.List[i][0] > p.List[i][1] || i > 0 && profile.ComparePairs(p.List[i-1], p.List[i]) >= 0 {
			r.fail()
		}
	}
	return p
}

func (r *reader) figures(m *profile.Marker, newest int64, d *Decoder, callers bool) {
	bits := r.uint()
	m.AsOf = newest - r.int()
	m.Unsure = bits&bitUnsure != 0
	if off := bits / bitOff % offRoom; off < uint64(len(offReasons)) && bits < 2*bitLevels {
		m.Off = offReasons[off]
	} else {
		r.fail()
	}
	m.Count = r.uint()
	if bits&bitOpen != 0 {
		m.Open = r.uint()
	}
	if bits&bitTimed != 0 {
		m.SelfNS, m.NestedNS, m.MinNS, m.MaxNS, m.Ticks = r.uint(), r.uint(), r.uint(), r.uint(), r.uint()
		m.Buckets = r.buckets(d)
	}
	if bits&bitSampled != 0 {
		m.Sample, m.Samples, m.Seen = r.uint(), r.uint(), r.uint()
		m.CountVar, m.SumVar = r.uint128(), r.uint128()
	}
	if bits&bitCallers != 0 {
		if !callers { // callers have no callers
			r.fail()
		}
		m.Callers = make([]profile.Caller, r.count(11))
		for i := range m.Callers {
			c := &m.Callers[i]
			c.ID, c.Name = registry.ID(r.word()), r.text()
			r.figures(&c.Marker, 0, d, false)
			c.Marker.AsOf = 0
		}
	}
	if bits&bitReadings != 0 {
		m.Readings = r.readings()
	}
	if bits&bitSizes != 0 {
		r.sizes(m)
	}
	if bits&bitFirst != 0 {
		m.First = profile.Firsts{MinNS: r.uint(), MaxNS: r.uint(), Buckets: r.buckets(d)}
		if !m.First.Sound() {
			r.fail()
		}
	}
	if bits&bitLogs != 0 {
		for i := range m.Sizes {
			s := &m.Sizes[i]
			if s.Logged, s.SumLog, s.SumLogSq = r.uint(), r.uint(), r.uint(); s.Logged > s.Count {
				r.fail()
			}
		}
	}
	if bits&bitNotes != 0 {
		m.Notes = make([]string, r.count(1))
		for i := range m.Notes {
			m.Notes[i] = r.text()
			if m.Notes[i] == "" || i > 0 && m.Notes[i-1] >= m.Notes[i] || i >= profile.MaxNotes {
				r.fail()
			}
		}
	}
	m.Runs = impliedRuns(m.Count)
	if bits&bitRuns != 0 {
		m.Runs = r.uint()
	}
	if bits&bitLevels != 0 {
		m.Levels = profile.Levels{TimedNS: r.uint(), CountedNS: r.uint(), OffNS: r.uint()}
	}
}

func (r *reader) readings() []profile.Reading {
	list := make([]profile.Reading, r.count(4))
	for i := range list {
		read := &list[i]
		read.Collector, read.Scopes, read.Dropped = r.text(), r.uint(), r.uint()
		read.Values = make([]profile.Value, r.count(6))
		for k := range read.Values {
			read.Values[k] = profile.Value{Name: r.text(), Sum: r.uint(), Self: r.uint(), Nested: r.uint(), Buckets: r.spread(), SelfBuckets: r.spread()}
		}
	}
	return list
}

func (r *reader) spread() []profile.ValueBucket {
	n := r.count(5)
	if n > 64 {
		r.fail()
	}
	if n == 0 || r.bad {
		return nil
	}
	list := make([]profile.ValueBucket, n)
	for i := range list {
		k := r.uint()
		s := profile.ValueBucket{K: uint8(k), Count: r.uint(), Sum: r.uint(), SumSq: r.uint128()}
		if k > 63 || s.Count == 0 || i > 0 && list[i-1].K >= s.K {
			r.fail()
		}
		list[i] = s
	}
	return list
}

func (r *reader) sizes(m *profile.Marker) {
	m.Sizes = make([]profile.SizeBucket, r.count(7))
	for i := range m.Sizes {
		k := r.uint()
		s := profile.SizeBucket{K: uint8(k), Count: r.uint(), SumSize: r.uint128(), SumNS: r.uint(), SumSq: r.uint128()}
		if k > 63 || s.Count == 0 || i > 0 && m.Sizes[i-1].K >= s.K {
			r.fail()
		}
		m.Sizes[i] = s
	}
}

// picks reads how often a marker was picked at random; nil if never.
func (r *reader) picks() *profile.Picks {
	n := r.uint()
	if n == 0 {
		return nil
	}
	return &profile.Picks{Runs: n, Weight: r.uint128(), Scopes: r.uint128(), ScopesVar: r.uint128()}
}

// buckets reads a list of buckets into memory reused for the next file.
func (r *reader) buckets(d *Decoder) []profile.Bucket {
	n := r.count(5)
	if n > 64 {
		r.fail()
		return nil
	}
	from := len(d.buckets)
	d.buckets = slices.Grow(d.buckets, n)[:from+n]
	list := d.buckets[from : from+n : from+n]
	for i := range list {
		k := r.uint()
		b := profile.Bucket{K: uint8(k), Count: r.uint(), SumNS: r.uint(), SumSq: r.uint128()}
		if k > 63 || b.Count == 0 || i > 0 && list[i-1].K >= b.K {
			r.fail()
		}
		list[i] = b
	}
	return list
}
