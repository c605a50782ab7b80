package collect

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/internal/cell"
	"github.com/markgen/markgen/runtime/layout"
)

// A testFile has the blocks that a plan makes.
type testFile struct {
	blocks.Space
	first []uint64
}

func newFile() *testFile {
	f := &testFile{first: make([]uint64, 1<<16)}
	f.Open(nil, unsafe.Slice((*byte)(unsafe.Pointer(&f.first[0])), 8*len(f.first)), nil, nil)
	return f
}

// published returns the blocks that readers see.
func (f *testFile) published() (all [][]uint64) {
	used := f.first[layout.OffUsed/8] / 8
	for at := uint64(layout.HeaderSize / 8); at < used; at += f.first[at+layout.OffBlockSize/8] / 8 {
		all = append(all, f.first[at:used])
	}
	return all
}

// A testCollector has counters that tests set.
type testCollector struct {
	where  uint64
	fails  bool
	values []uint64
	reads  *strings.Builder // the names of collectors in the order in which they were read
}

func (c *testCollector) reader(name string, values ...string) *Reader {
	return &Reader{Name: name, Values: values, Read: func(_ *Scratch, into []uint64) (uint64, bool) {
		copy(into, c.values)
		if c.reads != nil {
			c.reads.WriteString(name)
		}
		return c.where, !c.fails
	}}
}

// add makes the counters grow.
func (c *testCollector) add(by ...uint64) {
	for i, n := range by {
		c.values[i] += n
	}
}

// newReadings returns Readings for room scopes, in memory that the test keeps alive.
func newReadings(p *Plan, room uint32) *Readings {
	b := make([]uint64, p.Size(room)/8+1)
	r := (*Readings)(unsafe.Pointer(&b[0]))
	r.Open(p, room)
	return r
}

// A scoper opens and ends scopes, each recorded in the block of its marker.
type scoper struct {
	t       *testing.T
	p       *Plan
	r       *Readings
	file    *testFile
	markers []uint64
	blocks  map[uint64]*Block
}

func newScoper(t *testing.T, p *Plan) *scoper {
	return &scoper{t: t, p: p, r: newReadings(p, 8), file: newFile(), blocks: map[uint64]*Block{}}
}

func (s *scoper) begin(marker uint64) {
	s.r.Read(s.r.Begin(uint32(len(s.markers))), false)
	s.markers = append(s.markers, marker)
}

func (s *scoper) end(stopped bool, ns uint64) {
	s.t.Helper()
	n := len(s.markers) - 1
	marker := s.markers[n]
	s.markers = s.markers[:n]
	if !s.r.Begun(uint32(n)) {
		return
	}
	at := s.r.Stopped()
	if !stopped {
		at = s.r.Latest()
		s.r.Read(at, true)
	}
	f := s.r.End(uint32(n), at, ns)
	b := s.blocks[marker]
	if b == nil {
		if b = s.p.NewBlock(&s.file.Space, 3, marker); b == nil {
			s.t.Fatal("no block is made")
		}
		s.blocks[marker] = b
	}
	nested := slices.Contains(s.markers, marker)
	for !s.p.Record(b, f, nested) {
		if !s.p.MakeRoom(&s.file.Space, b, f) {
			s.t.Fatal("no buckets are made")
		}
	}
}

// want checks the contents of the block of a marker, from OffReadData on.
func (s *scoper) want(marker uint64, want ...uint64) {
	s.t.Helper()
	b := s.blocks[marker]
	if b == nil {
		s.t.Fatalf("marker %d has no block", marker)
	}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(b)), layout.OffReadData/8+len(want))
	if head := words[:layout.OffReadData/8]; head[0] != layout.BlockRead|3<<32 || head[layout.OffReadMarker/8] != marker ||
		head[layout.OffReadCollectors/8] != uint64(len(s.p.readers)) || head[layout.OffReadValues/8] != uint64(s.p.values) {
		s.t.Errorf("marker %d: the block begins with %d", marker, head)
	}
	if got := words[layout.OffReadData/8:]; !slices.Equal(got, want) {
		s.t.Errorf("marker %d: the block has %d, want %d", marker, got, want)
	}
}

// The differences of a scope are the growth of the counters; self is without the scopes directly
// inside, and nested is the part of scopes inside another of the same marker.
func TestScopes(t *testing.T) {
	c := testCollector{values: []uint64{100, 1 << 63}}
	var p Plan
	p.Add(c.reader("c", "x", "y"))
	s := newScoper(t, &p)
	s.begin(1)
	c.add(1, 10)
	s.begin(2)
	c.add(2, 20)
	s.begin(1)
	c.add(4, 40)
	s.end(false, 0)
	s.end(false, 0)
	c.add(8, 80)
	s.begin(2)
	c.add(16, 160)
	s.end(false, 0)
	s.end(false, 0)
	// scopes, dropped; then sum, self and nested of each value
	s.want(1, 2, 0, 31+4, 9+4, 4, 310+40, 90+40, 40)
	s.want(2, 2, 0, 6+16, 2+16, 0, 60+160, 20+160, 0)
	if n := len(s.file.published()); n != 2 {
		t.Errorf("%d blocks are made", n)
	}
}

// A scope and the enclosing ones are dropped, by collector, if reading failed, if the readings
// can't be compared, or if a value has decreased.
func TestDropped(t *testing.T) {
	for _, tt := range []struct {
		about string
		f     func(c *testCollector)
	}{
		{"not read", func(c *testCollector) { c.fails = true }},
		{"read elsewhere", func(c *testCollector) { c.where++ }},
		{"fallen", func(c *testCollector) { c.values[0]-- }},
	} {
		bad, good := testCollector{values: []uint64{50}}, testCollector{values: []uint64{60}}
		var p Plan
		p.Add(bad.reader("bad", "x"))
		p.Add(good.reader("good", "y"))
		s := newScoper(t, &p)
		s.begin(1)
		s.begin(2)
		s.begin(3)
		good.add(1)
		tt.f(&bad)
		s.end(false, 0) // 3
		bad.fails = false
		s.end(false, 0) // 2
		s.begin(4)      // is right
		bad.add(2)
		good.add(2)
		s.end(false, 0)
		s.end(false, 0) // 1
		for marker := range uint64(4) {
			marker++
			sum, dropped := uint64(1), uint64(1)
			switch marker {
			case 1:
				sum = 3
			case 4:
				sum, dropped = 2, 0
			}
			self := sum
			if marker == 1 || marker == 2 {
				self = 0
			}
			bads := []uint64{0, 0, 0}
			if dropped == 0 {
				bads = []uint64{2, 2, 0}
			}
			t.Run(fmt.Sprintf("%s/%d", tt.about, marker), func(t *testing.T) {
				s.t = t
				s.want(marker, append(append([]uint64{1 - dropped, dropped, 1, 0}, bads...), sum, self, 0)...)
			})
		}
	}
}

// A skipped scope has no differences, and neither drops the enclosing scope nor adds to it.
func TestSkipped(t *testing.T) {
	c := testCollector{values: []uint64{0}}
	var p Plan
	p.Add(c.reader("c", "x"))
	s := newScoper(t, &p)
	s.begin(1)
	s.r.Skip(1)
	s.markers = append(s.markers, 2)
	c.add(1)
	s.begin(3)
	c.add(2)
	c.where = 9
	s.end(false, 0)
	c.where = 0
	s.end(false, 0)
	c.add(4)
	s.end(false, 0)
	s.want(1, 1, 0, 7, 7, 0)
	s.want(3, 0, 1, 0, 0, 0)
	if s.blocks[2] != nil {
		t.Error("the scope that was skipped is recorded")
	}
}

// Scopes that a panic left end when recover stops it, and later growth belongs to the enclosing
// scope.
func TestStop(t *testing.T) {
	c := testCollector{values: []uint64{7}}
	var p Plan
	p.Add(c.reader("c", "x"))
	s := newScoper(t, &p)
	s.begin(1)
	s.begin(2)
	c.add(1)
	s.begin(3)
	c.add(2)
	s.r.Read(s.r.Stopped(), true)
	c.add(4)
	s.end(true, 0)
	s.end(true, 0)
	c.add(8)
	s.end(false, 0)
	s.want(3, 1, 0, 2, 2, 0)
	s.want(2, 1, 0, 3, 1, 0)
	s.want(1, 1, 0, 15, 12, 0)
}

// The first value of a collector may be the rest of the scope's time, at least 0.
func TestRemainder(t *testing.T) {
	c := testCollector{values: []uint64{0, 0, 0}}
	r := c.reader("c", "run_ns", "a_ns", "b_ns")
	r.Remainder = true
	var p Plan
	p.Add(r)
	s := newScoper(t, &p)
	s.begin(1)
	s.begin(2)
	c.add(0, 10, 20)
	s.end(false, 100)
	c.add(0, 1, 2)
	s.end(false, 110)
	s.begin(3)
	c.add(0, 10, 20)
	s.end(false, 25)
	s.want(2, 1, 0, 70, 70, 0, 10, 10, 0, 20, 20, 0)
	s.want(1, 1, 0, 77, 7, 0, 11, 1, 0, 22, 2, 0)
	s.want(3, 1, 0, 0, 0, 0, 10, 10, 0, 20, 20, 0)
}

// Collectors are read in order where a scope begins, and in the opposite order where it ends.
func TestOrder(t *testing.T) {
	var reads strings.Builder
	var p Plan
	for _, name := range []string{"a", "b", "c"} {
		c := testCollector{values: []uint64{1}, reads: &reads}
		p.Add(c.reader(name, "x"))
	}
	s := newScoper(t, &p)
	s.begin(1)
	s.end(false, 0)
	if got := reads.String(); got != "abccba" {
		t.Errorf("collectors are read in the order %s", got)
	}
}

// Copy continues Readings in larger ones.
func TestCopy(t *testing.T) {
	c := testCollector{values: []uint64{1}}
	var p Plan
	p.Add(c.reader("c", "x"))
	s := newScoper(t, &p)
	s.r = newReadings(&p, 1)
	s.begin(1)
	c.add(1)
	s.r.Read(s.r.Stopped(), true)
	if s.r.Has(1) || !s.r.Has(0) {
		t.Error("there is room for more than one scope, or none")
	}
	larger := newReadings(&p, 2)
	larger.Copy(s.r)
	s.r = larger
	if !s.r.Has(1) {
		t.Error("there is no room for two scopes")
	}
	c.add(2)
	s.begin(2)
	c.add(4)
	s.end(false, 0)
	s.end(true, 0)
	s.want(2, 1, 0, 4, 4, 0)
	s.want(1, 1, 0, 1, 0, 0)
}

// Each value of a collector with distributions has two, in the bucket of its length in bits, and
// only for scopes that were read.
func TestDistribution(t *testing.T) {
	plain, c := testCollector{values: []uint64{0}}, testCollector{values: []uint64{0, 0}}
	r := c.reader("c", "x", "y")
	r.Distribution = true
	var p Plan
	p.Add(plain.reader("plain", "x"))
	p.Add(r)
	s := newScoper(t, &p)
	const large = 1 << 40
	for range 3 {
		s.begin(1)
		c.add(5, 0)
		s.begin(2)
		c.add(large, 0)
		s.end(false, 0)
		s.end(false, 0)
	}
	s.begin(1)
	c.fails = true
	s.end(false, 0)
	type place struct{ marker, value, bucket uint64 }
	got := map[place]cell.Bucket{}
	for _, b := range s.file.published() {
		if uint32(b[0]) != layout.BlockSpread {
			continue
		}
		buckets := unsafe.Slice((*cell.Bucket)(unsafe.Pointer(&b[layout.OffSpreadData/8])), layout.GroupBuckets)
		for i, k := range buckets {
			if k.Count > 0 {
				got[place{b[layout.OffSpreadMarker/8], b[layout.OffSpreadValue/8], b[layout.OffSpreadFirst/8] + uint64(i)}] = k
			}
		}
	}
	const self = layout.SpreadSelf
	whole := uint64(large + 5)
	want := map[place]cell.Bucket{
		{1, 1, 41}:        {Count: 3, Sum: 3 * whole, SqLo: 3 * (10*large + 25), SqHi: 3 << 16},
		{1, 1 + self, 3}:  {Count: 3, Sum: 15, SqLo: 75, SqHi: 0},
		{1, 2, 0}:         {Count: 3},
		{1, 2 + self, 0}:  {Count: 3},
		{2, 1, 41}:        {Count: 3, Sum: 3 * large, SqLo: 0, SqHi: 3 << 16},
		{2, 1 + self, 41}: {Count: 3, Sum: 3 * large, SqLo: 0, SqHi: 3 << 16},
		{2, 2, 0}:         {Count: 3},
		{2, 2 + self, 0}:  {Count: 3},
	}
	for at, b := range want {
		if got[at] != b {
			t.Errorf("%+v: %+v, want %+v", at, got[at], b)
		}
		delete(got, at)
	}
	for at, b := range got {
		t.Errorf("%+v: %+v, want none", at, b)
	}
}

// Without memory nothing is made, and no scope is recorded partly.
func TestNoMemory(t *testing.T) {
	c := testCollector{values: []uint64{0}}
	r := c.reader("c", "x")
	r.Distribution = true
	var p Plan
	p.Add(r)
	s := newScoper(t, &p)
	s.begin(1)
	s.r.Read(s.r.Latest(), true)
	f := s.r.End(0, s.r.Latest(), 0)
	b := p.NewBlock(&s.file.Space, 3, 1)
	none := new(blocks.Space)
	if p.NewBlock(none, 3, 1) != nil || p.MakeRoom(none, b, f) || p.Record(b, f, false) || p.Describe(none) {
		t.Error("blocks are made without memory")
	}
	s.blocks[1] = b
	s.want(1, 0, 0, 0, 0, 0)
	if !p.MakeRoom(&s.file.Space, b, f) || !p.Record(b, f, false) {
		t.Error("the scope is not recorded")
	}
	s.want(1, 1, 0, 0, 0, 0)
}

// A plan describes what it reads, and has room for as much as the data file.
func TestPlan(t *testing.T) {
	var p Plan
	file := newFile()
	if p.Describe(&file.Space) {
		t.Error("a plan that reads nothing is described")
	}
	c := testCollector{values: make([]uint64, layout.MaxValues)}
	names := make([]string, layout.MaxValues)
	for i := range names {
		names[i] = fmt.Sprint("v", i)
	}
	for _, tt := range []struct {
		values int
		ok     bool
	}{
		{0, true}, {2, true}, {layout.MaxValues - 1, false}, {1, true}, {layout.MaxValues - 3, true}, {1, false}, {0, true},
	} {
		if ok := p.Add(c.reader("c", names[:tt.values]...)); ok != tt.ok {
			t.Errorf("%d values beside %d: %t", tt.values, p.values, ok)
		}
	}
	p = Plan{}
	for i := range layout.MaxCollectors + 1 {
		if ok := p.Add(c.reader(fmt.Sprint("c", i), names[:1+i%2]...)); ok != (i < layout.MaxCollectors) {
			t.Errorf("collector %d: %t", i, ok)
		}
	}
	if !p.Describe(&file.Space) || len(file.published()) != 1 {
		t.Fatal("the plan is not described")
	}
	b := file.published()[0]
	n := b[layout.OffReadingsLen/8]
	text := unsafe.String((*byte)(unsafe.Pointer(&b[layout.OffReadingsText/8])), n)
	if uint32(b[0]) != layout.BlockReadings || b[layout.OffReadingsCollectors/8] != layout.MaxCollectors || b[layout.OffReadingsValues/8] != 12 ||
		!strings.HasPrefix(text, "c0\tv0\nc1\tv0\nc1\tv1\nc2\tv0\n") || strings.Count(text, "\n") != 12 {
		t.Errorf("the plan is described as %d %q", b[:8], text)
	}
}
