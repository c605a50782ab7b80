package runfile

import (
	"fmt"

	"github.com/markgen/markgen/runtime/layout"
)

// sums are the checksums at the end of the file of a run that has ended.
type sums struct {
	from, at uint64   // from is the first block with a checksum, at the block of checksums
	of       []uint64 // by block, in file order
	next     int      // number of blocks checked so far
}

// readSums reads the checksums of the blocks before end and checks the one of the header. It
// returns nil if the file has none or they are damaged; then blocks are not checked.
func (r *run) readSums(end uint64) *sums {
	size := r.header.word(layout.OffSums)
	if size == 0 || end != r.header.word(layout.OffUsed) {
		return nil // the file is truncated, which is reported elsewhere
	}
	at := end - size
	damaged := func(what string) *sums {
		r.damagedAt(r.damaged(at, "the checksums of the file are damaged: %s; it is read without", what))
		return nil
	}
	if size > end-min(end, layout.HeaderSize) || size < layout.OffSumsData || size%8 != 0 {
		at = layout.OffSums
		return damaged(fmt.Sprintf("%d bytes of them can't be", size))
	}
	data, err := r.content(block{offset: at, size: size}, size)
	if err != nil {
		return damaged(err.Error())
	}
	word := func(at int) uint64 { return r.order.Uint64(data[at:]) }
	n, bytes := word(layout.OffSumsLen), word(layout.OffSumsBytes)
	switch {
	case r.order.Uint32(data) != layout.BlockSums || word(layout.OffBlockSize) != size:
		return damaged("there is another block")
	case layout.SumHead(data, layout.OffSumsOwn) != word(layout.OffSumsOwn):
		return damaged("their own is wrong")
	case n > (size-layout.OffSumsData)/8 || bytes > at-layout.HeaderSize:
		return damaged("they are of more than the file has")
	}
	s := &sums{from: at - bytes, at: at, of: make([]uint64, n)}
	for i := range s.of {
		s.of[i] = word(layout.OffSumsData + 8*i)
	}
	if layout.SumHeader(r.header.page) != word(layout.OffSumsHeader) {
		r.damagedAt(r.damaged(0, "the header is damaged: its checksum is wrong; what is said of the run, its clock and its costs may be wrong, and all estimates"))
	}
	return s
}

// check returns an error if the block does not match its checksum.
func (s *sums) check(in *input, b block) error {
	if s == nil {
		if b.kind == layout.BlockSums {
			return in.damaged(b.offset, "checksums of which the header does not tell; they are left out")
		}
		return nil
	}
	if b.offset < s.from || b.offset >= s.at {
		return nil
	}
	i := s.next
	if s.next++; i >= len(s.of) {
		return nil // reported by missing
	}
	sum, data := uint64(layout.ChecksumStart), []byte(nil)
	n := layout.Summed(b.kind, b.size)
	var err error
	if n <= windowSize {
		if data, err = in.bytes(b.offset, n); err == nil {
			sum = layout.SumBlock(b.kind, data)
		}
	} else {
		err = in.each(b.offset, n/8, 8, func(data []byte) { sum = layout.Checksum(sum, data) })
	}
	if err == nil && sum != s.of[i] {
		err = in.damaged(b.offset, "%s is damaged: its checksum is wrong; it is left out, the other blocks are used", kindName(b.kind))
	}
	return err
}

// missing returns an error if there are checksums of more blocks than the file has.
func (s *sums) missing(in *input) error {
	if s == nil || s.next == len(s.of) {
		return nil
	}
	return in.damaged(s.at, "checksums of %d blocks, and there are %d", len(s.of), s.next)
}

// kinds are the names of block kinds in messages.
var kinds = map[uint32]string{
	layout.BlockPad:      "padding",
	layout.BlockTable:    "a table of markers",
	layout.BlockCell:     "a cell",
	layout.BlockCounters: "a block of counters",
	layout.BlockAlias:    "an alias",
	layout.BlockBuckets:  "a group of buckets",
	layout.BlockStack:    "a stack of open scopes",
	layout.BlockMarkers:  "the words of markers",
	layout.BlockLog:      "the log of changes of state",
	layout.BlockSample:   "the sums over windows of a marker",
	layout.BlockRing:     "a ring of trace records",
	layout.BlockTrace:    "a block of trace records",
	layout.BlockReadings: "the names of what collectors read",
	layout.BlockRead:     "what collectors read at a marker",
	layout.BlockEdge:     "a caller of a marker",
	layout.BlockSizes:    "times by size",
	layout.BlockSpread:   "how a reading is spread",
	layout.BlockPairs:    "the pairs of a marker",
	layout.BlockWild:     "what was picked at random",
	layout.BlockProfile:  "a CPU profile",
	layout.BlockBudget:   "changes of the levels of markers",

	layout.BlockLabel:       "a label",
	layout.BlockPath:        "a path",
	layout.BlockPathCell:    "the figures of a path",
	layout.BlockPathBuckets: "the times of a path",
}

func kindName(kind uint32) string {
	if name, ok := kinds[kind]; ok {
		return name
	}
	return fmt.Sprintf("a block of kind %d", kind)
}
