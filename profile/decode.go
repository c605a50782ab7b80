package profile

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"
	"unicode/utf8"

	"github.com/markgen/markgen/registry"
)

// decoded is what a profile file says, before anything of it is added: all of it or
// nothing.
type decoded struct {
	profile *Profile // without markers and blocks
	table   *tableText
	figures []Marker // of the table's markers, in memory for this file
	counts  []uint64 // of its blocks
}

// addProfile adds what is in a profile file.
func (s *Sum) addProfile(in *input) error {
	s.scratch.reset()
	d, err := in.decode(&s.scratch)
	if err != nil {
		return err
	}
	s.head(d.profile)
	for i, m := range d.table.markers {
		if d.table.sums[i] == nil {
			d.table.sums[i] = s.marker(m.ID)
		}
		to, figures := d.table.sums[i], &d.figures[i]
		to.called(m, figures.AsOf)
		to.Sample = max(to.Sample, figures.Sample)
		to.add(figures)
	}
	for i, c := range d.table.counters {
		s.block(*c.block, d.counts[i])
	}
	return nil
}

// decode reads a profile file, all of it or nothing.
func (in *input) decode(scratch *scratch) (decoded, error) {
	none := decoded{}
	if in.size > mostProfile {
		return none, in.damaged(0, "a profile file of %d bytes, and %d is the most that is read", in.size, mostProfile)
	}
	file, err := in.bytes(0, in.size)
	if err != nil {
		return none, err
	}
	if len(file) < profileHead {
		return none, in.damaged(uint64(len(file)), "the file ends here; it was cut off")
	}
	if v := binary.LittleEndian.Uint32(file[8:]); v != profileVersion {
		return none, in.damaged(8, "a profile of version %d, and this markgen reads version %d; use the markgen that wrote it", v, profileVersion)
	}
	if crc32.Checksum(file[profileHead:], castagnoli) != binary.LittleEndian.Uint32(file[12:]) {
		return none, in.damaged(12, "the checksum is not that of the file; it is damaged, or was cut off")
	}
	d := decoder{rest: file[profileHead:]}
	head, text, figures := d.section(), d.section(), d.section()
	if d.bad || len(d.rest) > 0 {
		return none, in.damaged(profileHead, "its sections do not make up the file")
	}
	p := head.head()
	if head.bad || len(head.rest) > 0 {
		return none, in.damaged(profileHead, "what it says of the runs can't be read")
	}
	at := uint64(cap(file) - cap(text.rest))
	t, err := scratch.parsed(text.rest)
	switch {
	case err != nil:
		return none, in.damaged(at, "a table that can't be read (%v)", err)
	case t.bad > 0:
		return none, in.damaged(at, "line %d of the table: %.80q can't be read", t.damages[0].number, t.damages[0].line)
	}
	if t.twice() {
		return none, in.damaged(at, "a marker that the table has twice")
	}
	at = uint64(cap(file) - cap(figures.rest))
	if 3*len(t.markers)+len(t.counters) > len(figures.rest) {
		return none, in.damaged(at, "figures that are fewer than the table names")
	}
	all := decoded{p, t, scratch.markerPool.take(len(t.markers)), make([]uint64, len(t.counters))}
	clear(all.figures)
	for i := range all.figures {
		m := &all.figures[i]
		figures.figures(m, p.Newest, scratch, true)
		if what := m.repeats(); what != "" {
			return none, in.damaged(at, "figures of marker %s that have %s twice", t.markers[i].ID, what)
		}
	}
	for i, c := range t.counters {
		figures.bad = figures.bad || c.block == nil
		all.counts[i] = figures.uint()
	}
	if p.Wild != nil {
		for i := range all.figures {
			all.figures[i].Picks = figures.picks()
		}
	}
	if figures.bad || len(figures.rest) > 0 {
		return none, in.damaged(at, "figures that can't be read")
	}
	return all, nil
}

// A decoder reads from the front of what is left. When that is not what it should be, it
// is bad from then on and gives zeros.
type decoder struct {
	rest []byte
	bad  bool
}

// section is what the next section has.
func (d *decoder) section() decoder {
	if len(d.rest) < 4 || uint64(binary.LittleEndian.Uint32(d.rest)) > uint64(len(d.rest)-4) {
		d.fail()
		return decoder{bad: true}
	}
	n := binary.LittleEndian.Uint32(d.rest)
	s := decoder{rest: d.rest[4:][:n]}
	d.rest = d.rest[4+n:]
	return s
}

func (d *decoder) fail() { d.rest, d.bad = nil, true }

func (d *decoder) uint() uint64 {
	if len(d.rest) > 0 && d.rest[0] < 0x80 {
		n := d.rest[0]
		d.rest = d.rest[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(d.rest)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *decoder) int() int64 {
	n, size := binary.Varint(d.rest)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *decoder) word() uint64 {
	if len(d.rest) < 8 {
		d.fail()
		return 0
	}
	n := binary.LittleEndian.Uint64(d.rest)
	d.rest = d.rest[8:]
	return n
}

func (d *decoder) float() float64 {
	f := math.Float64frombits(d.word())
	if math.IsNaN(f) || f < 0 || math.IsInf(f, 0) {
		d.fail()
	}
	return f
}

func (d *decoder) uint128() Uint128 {
	lo := d.uint()
	return Uint128{Hi: d.uint(), Lo: lo}
}

func (d *decoder) text() string {
	n := d.uint()
	if n > uint64(len(d.rest)) || !utf8.Valid(d.rest[:n]) {
		d.fail()
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

// count is how many things follow, of which each takes some bytes.
func (d *decoder) count(least int) int {
	n := d.uint()
	if n > uint64(len(d.rest)/least) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) head() *Profile {
	bits := d.uint()
	if bits >= 1<<bitsKnown {
		d.fail()
	}
	p := &Profile{
		Complete:     bits&bitComplete != 0,
		Alive:        bits&bitAlive != 0,
		NoSelf:       bits&bitNoSelf != 0,
		Damaged:      bits&bitDamaged != 0,
		Untimed:      bits&bitUntimed != 0,
		MoreWarnings: bits&bitMoreWarnings != 0,
		App:          d.text(),
		Run:          d.text(),
	}
	runs := d.uint()
	if p.Runs = int(runs); runs > math.MaxInt32 {
		d.fail()
	}
	if bits&bitStart != 0 {
		p.Start = time.Unix(0, d.int()).UTC()
	}
	p.Newest = d.int()
	p.ElapsedNS = d.uint()
	p.Clock = Clock{d.text(), d.float(), d.float(), d.float(), d.float(), d.float()}
	p.GOOS, p.GOARCH, p.Go, p.State = d.text(), d.text(), d.text(), d.text()
	p.CPU, p.Main, p.Version = d.text(), d.text(), d.text()
	p.Lost = d.uint()
	if bits&bitSampling != 0 {
		p.Sampling = &Sampling{d.uint(), d.uint(), d.uint(), d.uint(), d.uint()}
	}
	if bits&bitTrace != 0 {
		p.Trace = &Traced{d.uint(), d.uint()}
	}
	for range d.count(12) {
		p.Changes = append(p.Changes, Change{d.uint(), d.text(), d.text(), d.text(), registry.ID(d.word())})
	}
	for range d.count(1) {
		p.Warnings = append(p.Warnings, d.text())
	}
	if bits&bitPairs != 0 {
		p.Pairs = d.pairs()
	}
	if bits&bitWild != 0 {
		p.Wild = &Wild{d.uint(), d.uint(), d.uint(), d.uint(), d.uint(), d.uint()}
	}
	if bits&bitUnlogged != 0 {
		p.Unlogged = d.uint()
	}
	if bits&bitCost != 0 {
		p.Cost = &Cost{d.uint(), d.uint(), d.uint()}
	}
	return p
}

func (d *decoder) pairs() *Pairs {
	p := &Pairs{Runs: d.uint(), Lost: d.uint()}
	p.List = make([]Pair, d.count(16))
	for i := range p.List {
		p.List[i] = Pair{registry.ID(d.word()), registry.ID(d.word())}
		if p.List[i][0] > p.List[i][1] || i > 0 && comparePairs(p.List[i-1], p.List[i]) >= 0 {
			d.fail()
		}
	}
	return p
}

func (d *decoder) figures(m *Marker, newest int64, scratch *scratch, callers bool) {
	bits := d.uint()
	m.AsOf = newest - d.int()
	m.Unsure = bits&bitUnsure != 0
	if off := bits / bitOff % offRoom; off < uint64(len(reasons)) && bits < 2*bitRuns {
		m.Off = reasons[off]
	} else {
		d.fail()
	}
	m.Count = d.uint()
	if bits&bitOpen != 0 {
		m.Open = d.uint()
	}
	if bits&bitTimed != 0 {
		m.SelfNS, m.NestedNS, m.MinNS, m.MaxNS, m.Ticks = d.uint(), d.uint(), d.uint(), d.uint(), d.uint()
		m.Buckets = d.buckets(scratch)
	}
	if bits&bitSampled != 0 {
		m.Sample, m.Samples, m.Seen = d.uint(), d.uint(), d.uint()
		m.CountVar, m.SumVar = d.uint128(), d.uint128()
	}
	if bits&bitCallers != 0 {
		if !callers { // a caller has none
			d.fail()
		}
		m.Callers = make([]Caller, d.count(11))
		for i := range m.Callers {
			c := &m.Callers[i]
			c.ID, c.Name = registry.ID(d.word()), d.text()
			d.figures(&c.Marker, 0, scratch, false)
			c.Marker.AsOf = 0
		}
	}
	if bits&bitReadings != 0 {
		m.Readings = make([]Reading, d.count(4))
		for i := range m.Readings {
			r := &m.Readings[i]
			r.Collector, r.Scopes, r.Dropped = d.text(), d.uint(), d.uint()
			r.Values = make([]Value, d.count(6))
			for k := range r.Values {
				r.Values[k] = Value{d.text(), d.uint(), d.uint(), d.uint(), d.spread(), d.spread()}
			}
		}
	}
	if bits&bitSizes != 0 {
		d.sizes(m)
	}
	if bits&bitFirst != 0 {
		m.First = Firsts{d.uint(), d.uint(), d.buckets(scratch)}
		if !m.First.sound() {
			d.fail()
		}
	}
	if bits&bitLogs != 0 {
		for i := range m.Sizes {
			s := &m.Sizes[i]
			if s.Logged, s.SumLog, s.SumLogSq = d.uint(), d.uint(), d.uint(); s.Logged > s.Count {
				d.fail()
			}
		}
	}
	if bits&bitNotes != 0 {
		m.Notes = make([]string, d.count(1))
		for i := range m.Notes {
			m.Notes[i] = d.text()
			if m.Notes[i] == "" || i > 0 && m.Notes[i-1] >= m.Notes[i] || i >= mostNotes {
				d.fail()
			}
		}
	}
	m.Runs = impliedRuns(m.Count)
	if bits&bitRuns != 0 {
		m.Runs = d.uint()
	}
}

func (d *decoder) spread() []ValueBucket {
	n := d.count(5)
	if n > 64 {
		d.fail()
	}
	if n == 0 || d.bad {
		return nil
	}
	list := make([]ValueBucket, n)
	for i := range list {
		k := d.uint()
		s := ValueBucket{K: uint8(k), Count: d.uint(), Sum: d.uint(), SumSq: d.uint128()}
		if k > 63 || s.Count == 0 || i > 0 && list[i-1].K >= s.K {
			d.fail()
		}
		list[i] = s
	}
	return list
}

func (d *decoder) sizes(m *Marker) {
	m.Sizes = make([]SizeBucket, d.count(7))
	for i := range m.Sizes {
		k := d.uint()
		s := SizeBucket{K: uint8(k), Count: d.uint(), SumSize: d.uint128(), SumNS: d.uint(), SumSq: d.uint128()}
		if k > 63 || s.Count == 0 || i > 0 && m.Sizes[i-1].K >= s.K {
			d.fail()
		}
		m.Sizes[i] = s
	}
}

// picks is how often a marker was picked at random, nil if it never was.
func (d *decoder) picks() *Picks {
	n := d.uint()
	if n == 0 {
		return nil
	}
	return &Picks{n, d.uint128(), d.uint128(), d.uint128()}
}

// buckets reads a list of buckets, into memory for this file.
func (d *decoder) buckets(scratch *scratch) []Bucket {
	n := d.count(5)
	if n > 64 {
		d.fail()
		return nil
	}
	list := scratch.bucketPool.take(n)
	for i := range list {
		k := d.uint()
		b := Bucket{K: uint8(k), Count: d.uint(), SumNS: d.uint(), SumSq: d.uint128()}
		if k > 63 || b.Count == 0 || i > 0 && list[i-1].K >= b.K {
			d.fail()
		}
		list[i] = b
	}
	return list
}
