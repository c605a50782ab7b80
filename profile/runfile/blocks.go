package runfile

import (
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/table"
	"github.com/markgen/markgen/runtime/layout"
)

// Readers of blocks that need no file of their own.

// A unitTable is the table of markers that one unit of a program registered.
type unitTable struct {
	offset uint64 // of its block
	first  uint64 // global index of Markers[0]
	*table.Table
}

func (r *run) table(b block) error {
	text, number, err := r.tableText(b)
	if err != nil {
		return err
	}
	head, err := r.content(b, layout.OffTableText)
	if err != nil {
		return err
	}
	first := r.order.Uint64(head[layout.OffTableFirst:])
	markers := r.order.Uint64(head[layout.OffTableMarkers:])
	t, err := r.texts.Parse(text)
	if err != nil {
		return r.damaged(b.offset, "a table that can't be read (%v); it is left out", err)
	}
	for _, d := range t.Damages {
		r.damagedAt(r.damaged(b.offset, "line %d of the table: %.80q can't be read; what it names is left out", d.Number, d.Line))
	}
	r.damages += t.Bad - len(t.Damages)
	if r.tables[number] != nil {
		return r.damaged(b.offset, "a second table with the number %d; it is left out", number)
	}
	if first+uint64(len(t.Markers)) < first {
		return r.damaged(b.offset, "a table whose markers begin at number %d; it is left out", first)
	}
	if markers != uint64(len(t.Markers)) {
		r.damagedAt(r.damaged(b.offset, "a table of %d markers that names %d", markers, len(t.Markers)))
	}
	r.tables[number] = &unitTable{b.offset, first, t}
	return nil
}

// tableText returns the text of a table as stored in the file, valid until the next read, and the
// number of the table.
func (in *input) tableText(b block) (text []byte, number uint64, err error) {
	head, err := in.content(b, layout.OffTableText)
	if err != nil {
		return nil, 0, err
	}
	number = in.order.Uint64(head[layout.OffTableNumber:])
	length := in.order.Uint64(head[layout.OffTableLen:])
	if length > b.size-layout.OffTableText {
		return nil, 0, in.damaged(b.offset, "a table with %d bytes of text in a block of %d; it is left out", length, b.size)
	}
	if text, err = in.content(b, layout.OffTableText+length); err != nil {
		return nil, 0, err
	}
	sum := layout.SumHead(text[:layout.OffTableText], layout.OffTableSum)
	if layout.Checksum(sum, text[layout.OffTableText:]) != in.order.Uint64(text[layout.OffTableSum:]) {
		return nil, 0, in.damaged(b.offset, "table %d is damaged: its checksum is wrong; it is left out, with all that its markers recorded", number)
	}
	return text[layout.OffTableText:], number, nil
}

// shardCell returns the cell of one processor at one marker, or nil.
func (r *run) shardCell(shard uint32, index uint64) *cell {
	for c := r.shardCells.at(index); c != nil; c = c.next {
		if c.shard == shard {
			return c
		}
	}
	return nil
}

// newShardCell adds the cell of one processor at one marker, which must not exist yet.
func (r *run) newShardCell(shard uint32, index uint64) *cell {
	c := r.cellPool.one()
	c.shard, c.marker, c.next = shard, index, r.shardCells.at(index)
	r.shardCells.set(index, c)
	return c
}

// tooManyShards returns an error if the processor's number is larger than any that the runtime
// writes.
func (r *run) tooManyShards(b block) error {
	if b.shard > layout.MaxShards {
		return r.damaged(b.offset, "processor %d, and there are %d at most; its block is left out", b.shard, layout.MaxShards)
	}
	return nil
}

func (r *run) cell(b block) error {
	data, err := r.content(b, layout.CellSize)
	if err != nil {
		return err
	}
	if err := r.tooManyShards(b); err != nil {
		return err
	}
	index := r.order.Uint64(data[layout.CellMarker:])
	c := r.shardCell(b.shard, index)
	if c == nil {
		c = r.newShardCell(b.shard, index)
	}
	if c.offset != 0 {
		return r.damaged(b.offset, "a second cell of marker number %d on processor %d; it is left out", index, b.shard)
	}
	c.offset = b.offset
	r.parseCell(c, data)
	return nil
}

func (r *run) buckets(b block) error {
	data, err := r.content(b, layout.BucketsSize)
	if err != nil {
		return err
	}
	index := r.order.Uint64(data[layout.OffBucketsMarker:])
	first := r.order.Uint64(data[layout.OffBucketsFirst:])
	if first >= layout.NumBuckets || first%layout.GroupBuckets != 0 {
		return r.damaged(b.offset, "buckets from number %d on; they are left out", first)
	}
	if err := r.tooManyShards(b); err != nil {
		return err
	}
	list, ok := r.parseBuckets(r.bucketPool.take(layout.GroupBuckets)[:0], data, uint8(first), r.tolerance)
	r.bucketPool.back(layout.GroupBuckets - len(list))
	if !ok {
		return r.damaged(b.offset, "buckets of marker number %d whose figures contradict each other; they are left out", index)
	}
	c := r.shardCell(b.shard, index)
	if c == nil {
		c = r.newShardCell(b.shard, index)
	}
	for _, old := range c.buckets {
		if uint64(old.K/layout.GroupBuckets*layout.GroupBuckets) == first {
			return r.damaged(b.offset, "a second time the buckets from number %d on of marker number %d; they are left out", first, index)
		}
	}
	if c.buckets == nil {
		c.buckets = list[:len(list):len(list)]
	} else {
		c.buckets = r.sumOf(c.buckets, list)
	}
	return nil
}

// stack counts the open scopes of a goroutine. It does not trust a length that exceeds the block.
func (r *run) stack(b block) error {
	head, err := r.content(b, layout.OffStackData)
	if err != nil {
		return err
	}
	n := uint64(r.order.Uint32(head[layout.OffStackLen:]))
	if n > (b.size-layout.OffStackData)/layout.StackSize {
		return r.damaged(b.offset, "%d open scopes in a block of %d bytes; they are left out", n, b.size)
	}
	return r.each(b.offset+layout.OffStackData, n, layout.StackSize, func(data []byte) {
		for ; len(data) > 0; data = data[layout.StackSize:] {
			index := r.order.Uint32(data[layout.StackMarker:]) & layout.IndexMask
			if index < layout.StackFirst {
				continue // from calibration, or not written yet
			}
			m := r.total(uint64(index - layout.StackFirst))
			m.Open = profile.Add64(m.Open, 1)
		}
	})
}

// total returns the sum of the data recorded under index, for the caller to add to.
func (r *run) total(index uint64) *profile.Marker {
	sum := r.totals.at(index)
	if sum == nil {
		sum = r.markerPool.one()
		r.totals.set(index, sum)
	}
	return sum
}

// counterBlock records where the counters of a table are in the file. They are read once all tables
// are known.
func (r *run) counterBlock(b block) error {
	head, err := r.content(b, layout.OffCountersData)
	if err != nil {
		return err
	}
	number := r.order.Uint64(head[layout.OffCountersTable:])
	n, demoted := r.order.Uint64(head[layout.OffCountersLen:]), r.order.Uint64(head[layout.OffCountersTimed:])
	words := (b.size - layout.OffCountersData) / 8
	if n > words {
		return r.damaged(b.offset, "%d counters in a block of %d bytes; they are left out", n, b.size)
	}
	if demoted > words-n {
		return r.damaged(b.offset, "%d counters of scopes in a block of %d bytes; they are left out", demoted, b.size)
	}
	for _, old := range r.counters[number] {
		if old.shard == b.shard {
			return r.damaged(b.offset, "a second block with the counters of table %d; it is left out", number)
		}
	}
	r.counters[number] = append(r.counters[number], block{shard: b.shard, offset: b.offset, size: layout.OffCountersData + 8*n})
	if demoted > 0 {
		r.demoted[number] = append(r.demoted[number], block{shard: b.shard, offset: b.offset + layout.OffCountersData + 8*n, size: 8 * demoted})
	}
	return r.countersOff(b, number, n, r.order.Uint64(head[layout.OffCountersOff:]))
}

// countersOff records where the bits are that say which counters of a table are off: at in the
// block, one bit for each of n counters. at is 0 if none is off.
func (r *run) countersOff(b block, number, n, at uint64) error {
	if at == 0 {
		return nil
	}
	size := (n + 63) / 64 * 8
	if at < layout.OffCountersData+8*n || at > b.size || size > b.size-at {
		return r.damaged(b.offset, "bits of %d counters at %d in a block of %d bytes; which of them are off is not known", n, at, b.size)
	}
	r.counterBits[number] = block{shard: b.shard, offset: b.offset + at, size: size}
	return nil
}

// bitsOff returns which counters of a table are off.
func (r *run) bitsOff(number uint64, t *unitTable) (bits bitset) {
	b := r.counterBits[number]
	r.damagedIf(r.each(b.offset, min(b.size/8, uint64(len(t.Counters)+63)/64), 8, func(data []byte) {
		for ; len(data) > 0; data = data[8:] {
			bits = append(bits, r.order.Uint64(data))
		}
	}))
	return bits
}

type bitset []uint64

func (s bitset) has(i int) bool { return i/64 < len(s) && s[i/64]>>(i%64)&1 != 0 }

func (r *run) alias(b block) error {
	data, err := r.content(b, layout.OffAliasFirst+8)
	if err != nil {
		return err
	}
	r.aliases = append(r.aliases, alias{
		offset: b.offset,
		from:   r.order.Uint64(data[layout.OffAliasFrom:]),
		to:     r.order.Uint64(data[layout.OffAliasTo:]),
		first:  r.order.Uint64(data[layout.OffAliasFirst:]),
	})
	return nil
}

// An alias maps the number under which cells were recorded to the number in a table. Both are
// global indexes.
type alias struct {
	offset   uint64 // of its block in the file
	from, to uint64
	first    uint64          // duration of the first call, ns, plus 1; 0 if unknown
	total    *profile.Marker // set while it is being moved
}
