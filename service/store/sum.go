package store

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
)

// Statistics are summed in memory before they are written: the row of an API that many machines
// report is written once every few seconds instead of once per batch. What is in memory is also in
// the log on disk (ingest.go).
//
// The sum is divided into chunks by the top bits of the API's ID, so that a chunk's rows are
// adjacent in the tables. Each chunk is written in its own short transaction, which records the
// last log number included.
const (
	chunks    = 256
	runChunk  = chunks // the rows of runTotals
	allChunks = chunks + 1
)

func chunkOf(api uint64) int { return int(api >> 56) }

// A delta is what a batch adds to the sum.
type delta struct {
	origin    int32
	day       int32
	runTotals []byte
	cells     []byte // for each marker: API, hash of its name and position, start of the run that has them, length of parts, parts
}

// deltaHeader is the number of bytes before the parts.
const deltaHeader = 28

// deltaOf returns the delta of a profile received at now; hashes are those of its markers'
// names and positions, at the places of its paths.
func deltaOf(p *profile.Profile, hashes []uint64, at []place, origin int32, day fleet.Day, now time.Time, numbers names) *delta {
	d := &delta{origin: origin, day: int32(day), cells: make([]byte, 0, 160*len(p.Markers))}
	var pack packer
	d.runTotals = pack.runTotals(p)
	nodes := map[uint64][]int{} // indexes of paths by the API they are counted at
	for i := range at {
		nodes[at[i].api] = append(nodes[at[i].api], i)
	}
	add := func(api, hash uint64, asOf int64, parts []byte) {
		if list := nodes[api]; list != nil {
			parts = pack.paths(p.Paths.Nodes, at, list, numbers)
		}
		d.cells = binary.LittleEndian.AppendUint64(d.cells, api)
		d.cells = binary.LittleEndian.AppendUint64(d.cells, hash)
		d.cells = binary.LittleEndian.AppendUint64(d.cells, uint64(asOf))
		d.cells = binary.LittleEndian.AppendUint32(d.cells, uint32(len(parts)))
		d.cells = append(d.cells, parts...)
	}
	for i := range p.Markers {
		m := &p.Markers[i]
		add(uint64(m.ID), hashes[i], startOf(m, now), pack.marker(m, numbers))
	}
	if nodes[0] != nil { // scopes beyond a limit of nodes
		pack.parts, pack.out = pack.parts[:0], pack.out[:0]
		add(0, 0, 0, nil)
	}
	return d
}

// startOf returns the start of the run that gave the marker its name, rounded to the hour, as
// markgen push sends it. It is limited to now: a wrong clock then determines the name for an hour,
// not forever.
func startOf(m *profile.Marker, now time.Time) int64 {
	start := max(0, min(m.AsOf, now.UnixNano()))
	return start - start%int64(time.Hour)
}

// A sum is the statistics that are not written yet.
type sum struct {
	chunks [allChunks]*chunk
	bytes  int
	spare  []byte
	last   int64 // number of the last batch added
}

// add adds a batch with this number in the log. It skips chunks that are written up to this number
// already; written may be nil.
func (s *sum) add(d *delta, number int64, written *[allChunks]int64) {
	s.last = number
	if written == nil || written[runChunk] < number {
		s.spare = s.chunk(runChunk, number).add(s, cellKey{0, d.origin, d.day}, d.runTotals, s.spare, mergeRunTotals)
	}
	for b := d.cells; len(b) > 0; {
		api, hash, asOf := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), int64(binary.LittleEndian.Uint64(b[16:]))
		n := int(binary.LittleEndian.Uint32(b[24:]))
		parts := b[deltaHeader : deltaHeader+n]
		b = b[deltaHeader+n:]
		c := chunkOf(api)
		if written != nil && written[c] >= number {
			continue
		}
		k := s.chunk(c, number)
		s.spare = k.add(s, cellKey{api, d.origin, d.day}, parts, s.spare, mergeParts)
		k.newer(s, api, hash, asOf, d.origin)
	}
}

func mergeRunTotals(sum, a, b []byte) []byte {
	var row [rowWidth]int64
	runTotals.clear(&row)
	runTotals.unpack(&row, a)
	runTotals.unpack(&row, b)
	return runTotals.pack(sum, &row)
}

// chunk returns chunk c, which it creates if needed, with this batch as its first.
func (s *sum) chunk(c int, number int64) *chunk {
	if s.chunks[c] == nil {
		s.chunks[c] = &chunk{from: number}
	}
	return s.chunks[c]
}

// take removes a chunk from the sum, and returns nil if it is empty. Its bytes stay counted until
// drop.
func (s *sum) take(c int) *chunk {
	k := s.chunks[c]
	s.chunks[c] = nil
	return k
}

func (s *sum) drop(k *chunk) { s.bytes -= k.bytes }

// A cellKey is the key of a cell.
type cellKey struct {
	api    uint64
	origin int32
	day    int32
}

// descriptionDay is the day of entries that are not cells: their value is the hash of an API's name
// and position, with the start and origin of the newest run that had them. Both kinds of entries
// share one index.
const descriptionDay = math.MinInt32

// A chunk is a part of the sum. It has no pointers per cell, and no allocation per cell.
type chunk struct {
	index   []uint32 // hash table: 1 + index in entries, 0 if free; the length is a power of two
	entries []entry
	store   []byte // values of entries
	wasted  int    // bytes of store not in use
	from    int64  // number of its first batch
	bytes   int    // memory in use
}

type entry struct {
	cellKey
	at   uint32 // offset in store
	size uint32
	room uint32
}

const entryBytes = 28

func (k cellKey) hash() uint64 { return mix(k.api, uint64(uint32(k.origin))<<32|uint64(uint32(k.day))) }

// find returns the entry of a key, or nil.
func (c *chunk) find(key cellKey) *entry {
	if len(c.index) == 0 {
		return nil
	}
	mask := uint64(len(c.index) - 1)
	for i := key.hash() & mask; c.index[i] != 0; i = (i + 1) & mask {
		if e := &c.entries[c.index[i]-1]; e.cellKey == key {
			return e
		}
	}
	return nil
}

// make adds an entry for a new key.
func (c *chunk) make(key cellKey, value []byte) {
	if 4*(len(c.entries)+1) > 3*len(c.index) {
		c.index = make([]uint32, max(16, 2*len(c.index)))
		for i := range c.entries {
			c.place(i)
		}
	}
	c.entries = append(c.entries, entry{cellKey: key, at: uint32(len(c.store)), size: uint32(len(value)), room: uint32(len(value))})
	c.store = append(c.store, value...)
	c.place(len(c.entries) - 1)
}

// place adds an entry to the index.
func (c *chunk) place(i int) {
	mask := uint64(len(c.index) - 1)
	at := c.entries[i].hash() & mask
	for c.index[at] != 0 {
		at = (at + 1) & mask
	}
	c.index[at] = uint32(i + 1)
}

// value returns the value of an entry.
func (c *chunk) value(e *entry) []byte { return c.store[e.at:][:e.size:e.size] }

// set sets the value of an entry.
func (c *chunk) set(e *entry, value []byte) {
	if len(value) > int(e.room) {
		c.wasted += int(e.room)
		// Leave some room, as numbers grow.
		room := len(value) + len(value)/8
		e.at, e.room = uint32(len(c.store)), uint32(room)
		c.store = append(c.store, value...)
		c.store = append(c.store, make([]byte, room-len(value))...)
	} else {
		copy(c.store[e.at:], value)
	}
	e.size = uint32(len(value))
	if c.wasted > 4096 && c.wasted > len(c.store)/3 {
		c.compact()
	}
}

// compact frees wasted bytes.
func (c *chunk) compact() {
	store := make([]byte, 0, len(c.store)-c.wasted)
	for i := range c.entries {
		e := &c.entries[i]
		at := len(store)
		store = append(store, c.store[e.at:][:e.room]...)
		e.at = uint32(at)
	}
	c.store, c.wasted = store, 0
}

// add merges a value into that of a key. It returns spare, which it may have grown.
func (c *chunk) add(s *sum, key cellKey, value, spare []byte, merge func(sum, a, b []byte) []byte) []byte {
	if e := c.find(key); e == nil {
		c.make(key, value)
	} else {
		spare = merge(spare[:0], c.value(e), value)
		c.set(e, spare)
	}
	c.count(s)
	return spare
}

// newer records that a run started at asOf had the name and position with this hash. Of equal
// starts the last call wins.
func (c *chunk) newer(s *sum, api, hash uint64, asOf int64, origin int32) {
	key := cellKey{api: api, day: descriptionDay}
	var value [20]byte
	binary.LittleEndian.PutUint64(value[:], hash)
	binary.LittleEndian.PutUint64(value[8:], uint64(asOf))
	binary.LittleEndian.PutUint32(value[16:], uint32(origin))
	if e := c.find(key); e == nil {
		c.make(key, value[:])
		c.count(s)
	} else if _, have, _ := c.description(e); asOf >= have {
		copy(c.value(e), value[:])
	}
}

// count updates the memory in use.
func (c *chunk) count(s *sum) {
	bytes := cap(c.store) + entryBytes*cap(c.entries) + 4*len(c.index)
	s.bytes += bytes - c.bytes
	c.bytes = bytes
}

// sorted returns the cells and the descriptions, sorted by key as in the tables.
func (c *chunk) sorted() (cells, descriptions []*entry) {
	for i := range c.entries {
		if e := &c.entries[i]; e.day == descriptionDay {
			descriptions = append(descriptions, e)
		} else {
			cells = append(cells, e)
		}
	}
	for _, list := range [][]*entry{cells, descriptions} {
		slices.SortFunc(list, func(a, b *entry) int {
			return cmp.Or(cmp.Compare(int64(a.api), int64(b.api)), cmp.Compare(a.origin, b.origin), cmp.Compare(a.day, b.day))
		})
	}
	return cells, descriptions
}

// description returns the hash of an entry's name and position, and the start and origin of the
// newest run that had them.
func (c *chunk) description(e *entry) (hash uint64, asOf int64, origin int32) {
	v := c.value(e)
	return binary.LittleEndian.Uint64(v), int64(binary.LittleEndian.Uint64(v[8:])), int32(binary.LittleEndian.Uint32(v[16:]))
}
