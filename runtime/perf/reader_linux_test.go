//go:build !markgen_off

package perf

import (
	"encoding/binary"
	"math/bits"
	"os"
	"strings"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// A dataset is the contents of a data file as the tests read it, all shards added up. The reader
// follows docs/reference/data-file.md alone and checks what that page promises about a file that is not being
// written.
type dataset struct {
	b        []byte
	marks    map[string]*mark
	counters map[string]uint64
	blocks   []uint64 // counters of cover blocks
	shards   map[uint32]bool
	wild     int // offset of the BlockWild, 0 if there is none
}

type mark struct {
	kind, flags       string
	count             uint64 // of scopes
	total, self       uint64 // ns
	ticks, noself     uint64
	nested, open      uint64
	min, max, last    uint64
	sqHi, sqLo, cells uint64
}

func (d *dataset) word(off int) uint64 { return binary.NativeEndian.Uint64(d.b[off:]) }

func (d *dataset) text(off, size int) string {
	s, _, _ := strings.Cut(string(d.b[off:off+size]), "\x00")
	return s
}

func readData(t *testing.T, path string) *dataset {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset{b: b, marks: map[string]*mark{}, counters: map[string]uint64{}, shards: map[uint32]bool{}}
	if len(b) < layout.HeaderSize || string(b[:8]) != layout.Magic {
		t.Fatalf("%s: %d bytes beginning with %q: no data file", path, len(b), b[:min(len(b), 8)])
	}
	u32 := func(off int) uint32 { return binary.NativeEndian.Uint32(b[off:]) }
	if u32(layout.OffVersion) != layout.Version || u32(layout.OffHeaderSize) != layout.HeaderSize {
		t.Fatalf("version %d, header of %d bytes", u32(layout.OffVersion), u32(layout.OffHeaderSize))
	}
	used := d.word(layout.OffUsed)
	if used < layout.HeaderSize || used > uint64(len(b)) {
		t.Fatalf("used %d of %d bytes", used, len(b))
	}
	cells := map[uint64]*mark{}
	of := func(i uint64) *mark {
		m := cells[i]
		if m == nil {
			m = &mark{min: 1<<64 - 1}
			cells[i] = m
		}
		return m
	}
	alias := map[uint64]uint64{}
	names := map[uint64][]string{}
	counterTables := map[uint64][]uint64{}
	tables := uint64(0)
	type tab struct {
		first, counters uint64
		lines           []string
	}
	var tabs []tab
	off := layout.HeaderSize
	var sums []uint64
	for off < int(used) {
		kind, shard, size := u32(off+layout.OffBlockType), u32(off+layout.OffBlockShard), d.word(off+layout.OffBlockSize)
		if size < layout.BlockAlign || size%layout.BlockAlign != 0 || uint64(off)+size > used {
			t.Fatalf("block of type %d at %d has size %d; used is %d", kind, off, size, used)
		}
		switch kind {
		case layout.BlockPad:
		case layout.BlockTable:
			n := int(d.word(off + layout.OffTableLen))
			if d.word(off+layout.OffTableNumber) != tables {
				t.Errorf("table %d has number %d", tables, d.word(off+layout.OffTableNumber))
			}
			tables++
			tabs = append(tabs, tab{d.word(off + layout.OffTableFirst), d.word(off + layout.OffTableCounters),
				strings.Split(string(b[off+layout.OffTableText:off+layout.OffTableText+n]), "\n")})
		case layout.BlockCounters:
			var v []uint64
			for i := range int(d.word(off + layout.OffCountersLen)) {
				v = append(v, d.word(off+layout.OffCountersData+8*i))
			}
			for i, n := range counterTables[d.word(off+layout.OffCountersTable)] {
				v[i] += n
			}
			counterTables[d.word(off+layout.OffCountersTable)] = v
		case layout.BlockAlias:
			alias[d.word(off+layout.OffAliasFrom)] = d.word(off + layout.OffAliasTo)
		case layout.BlockCell:
			d.shards[shard] = true
			of(d.word(off+layout.CellMarker)).addCell(t, d, off)
		case layout.BlockBuckets:
			of(d.word(off+layout.OffBucketsMarker)).addBuckets(t, d, off)
		case layout.BlockStack:
			for i := range int(u32(off + layout.OffStackLen)) {
				of(uint64(u32(off+layout.OffStackData+i*layout.StackSize+layout.StackMarker)&layout.IndexMask)-firstIndex).open++
			}
		case layout.BlockWild:
			d.wild = off
		case layout.BlockMarkers, layout.BlockLog, layout.BlockSample:
		case layout.BlockSums:
			if n := d.word(off + layout.OffSumsLen); n != uint64(len(sums)) || d.word(layout.OffSums) != size || off+int(size) != int(used) {
				t.Errorf("checksums of %d blocks in %d bytes at %d, header says %d; there are %d blocks, and %d bytes", n, size, off, d.word(layout.OffSums), len(sums), used)
				break
			}
			for i, sum := range sums {
				if got := d.word(off + layout.OffSumsData + 8*i); got != sum {
					t.Errorf("checksum of block %d is %x, want %x", i, got, sum)
				}
			}
			if got, want := d.word(off+layout.OffSumsHeader), layout.SumHeader(b); got != want {
				t.Errorf("checksum of the header is %x, want %x", got, want)
			}
		default:
			t.Errorf("block of unknown type %d", kind)
		}
		sums = append(sums, layout.SumBlock(kind, b[off:off+int(layout.Summed(kind, size))]))
		off += int(size)
	}
	if off != int(used) {
		t.Errorf("blocks end at %d, used is %d", off, used)
	}
	for k, tb := range tabs {
		m, c := tb.first, 0
		for _, line := range tb.lines {
			f := strings.Split(line, "\t")
			switch f[0] {
			case "m":
				if len(f) == 11 {
					names[m] = f
				}
				m++
			case "c", "b":
				if v := counterTables[uint64(k)]; c < len(v) {
					if f[0] == "c" {
						d.counters[f[6]] = v[c]
					} else {
						d.blocks = append(d.blocks, v[c])
					}
				}
				c++
			}
		}
	}
	for from, to := range alias {
		m := cells[from]
		delete(cells, from)
		if m == nil || to == layout.NoMarker {
			continue
		}
		if cells[to] == nil {
			cells[to] = &mark{min: 1<<64 - 1}
		}
		cells[to].add(m)
	}
	for i, f := range names {
		m := cells[i]
		if m == nil {
			m = &mark{}
		}
		delete(cells, i)
		m.kind, m.flags = f[2], f[7]
		d.marks[f[10]] = m
	}
	for i := range cells {
		if d.word(layout.OffState) == layout.StateStopped && d.word(layout.OffFlags)&layout.FlagPartial == 0 { // else it may have been killed before it registered the table
			t.Errorf("cell of marker %d, which no table names", i)
		}
	}
	return d
}

func (m *mark) addCell(t *testing.T, d *dataset, off int) {
	c := mark{
		count: d.word(off + layout.CellPasses), self: d.word(off + layout.CellSelf), ticks: d.word(off + layout.CellTicks),
		min: d.word(off + layout.CellMin), max: d.word(off + layout.CellMax), last: d.word(off + layout.CellLast),
		noself: d.word(off + layout.CellNoSelf), nested: d.word(off + layout.CellNested), cells: 1,
	}
	m.add(&c)
}

// addBuckets adds a group of buckets.
func (m *mark) addBuckets(t *testing.T, d *dataset, off int) {
	c := mark{min: 1<<64 - 1}
	first := int(d.word(off + layout.OffBucketsFirst))
	for k := first; k < first+layout.GroupBuckets; k++ {
		b := off + layout.OffBucketsData + (k-first)*layout.BucketSize
		n, sum := d.word(b+layout.BucketCount), d.word(b+layout.BucketSum)
		lo, hi := d.word(b+layout.BucketSqLo), d.word(b+layout.BucketSqHi)
		torn := n == 1 && d.word(layout.OffState) != layout.StateStopped // counted, and killed before it was added
		if (n == 0) != (sum == 0) && k > 0 && !torn {
			t.Errorf("bucket %d holds %d scopes of %d ns in all", k, n, sum)
		}
		least := uint64(1) << k
		if k == 0 {
			least = 0
		}
		// If the process was killed, one scope may be counted and not yet added.
		if n > 0 && (sum < least*(n-1) || sum/2 > n<<k || k < 31 && hi == 0 && lo < least*least*(n-1)) {
			t.Errorf("bucket %d: %d scopes, %d ns, squares %d·2^64+%d", k, n, sum, hi, lo)
		}
		c.count += n
		c.total += sum
		var carry uint64
		c.sqLo, carry = bits.Add64(c.sqLo, lo, 0)
		c.sqHi += hi + carry
	}
	m.add(&c)
}

func (m *mark) add(c *mark) {
	m.count += c.count
	m.total += c.total
	m.self += c.self
	m.ticks += c.ticks
	m.noself += c.noself
	m.nested += c.nested
	m.open += c.open
	m.min = min(m.min, c.min)
	m.max = max(m.max, c.max)
	m.last = max(m.last, c.last)
	m.cells += c.cells
	var carry uint64
	m.sqLo, carry = bits.Add64(m.sqLo, c.sqLo, 0)
	m.sqHi += c.sqHi + carry
}

// counts returns the count of every marker and counter by name.
func (d *dataset) counts() map[string]uint64 {
	all := map[string]uint64{}
	for name, m := range d.marks {
		all[name] = m.count
	}
	for name, n := range d.counters {
		all[name] = n
	}
	return all
}
