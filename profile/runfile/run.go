package runfile

import (
	"errors"
	"fmt"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/table"
	"github.com/markgen/markgen/runtime/layout"
	"github.com/markgen/markgen/units"
)

// readRun reads a run, and adds its markers and blocks to the sum.
func (in *input) readRun(alive bool, sum *Sum) (*run, error) {
	h, err := in.readHeader()
	if err != nil {
		return nil, err
	}
	sum.scratch.reset()
	run := &run{
		input:    in,
		header:   h,
		torn:     tornKilled,
		tables:   map[uint64]*unitTable{},
		scratch:  &sum.scratch,
		off:      map[uint64]string{},
		counters: map[uint64][]block{}, counterBits: map[uint64]block{}, demoted: map[uint64][]block{}, parents: map[uint64][]parent{}, early: map[uint64]*profile.Marker{},
		samples: map[uint64]batchSums{},

		sampledMarkers: map[uint64]batchSums{},
		edges:          map[uint64]edge{},
		rows:           map[uint64]block{},
		ticks:          map[tickKey]batchSums{},
		traces:         map[uint32]*Ring{},
		readAt:         map[part]bool{},
		sizesAt:        map[part]bool{},
		spreadAt:       map[spreadPart]bool{},
		Profile:        h.profile(),
	}
	run.Alive = alive && !h.ended()
	if alive {
		run.torn = tornRunning
	}
	run.read(&sum.Sum)
	return run, nil
}

// run is a data file that is being read, and the profile that comes of it, whose
// markers and blocks are added to a Sum.
type run struct {
	*input
	*profile.Profile
	*scratch
	header header
	torn   uint64  // see Bucket.Settle
	last   uint64  // latest tick of all cells, 0 if there is none
	costNS float64 // of recording all figures, see costs

	damages int   // places of damage so far
	sums    *sums // nil: the file has none

	tables      map[uint64]*unitTable      // by number
	ordered     []*unitTable               // by global index of their first markers, once all are known
	counters    map[uint64][]block         // by number of the table, one for each shard
	demoted     map[uint64][]block         // by number of the table: without a head, a word for each marker that may be demoted
	parents     map[uint64][]parent        // of markers that may be demoted, by global index
	early       map[uint64]*profile.Marker // what had been timed of markers when they were first demoted, the same
	counterBits map[uint64]block           // by number of the table: without a head, a bit for each that is off
	aliases     []alias                    // in the order of the file
	off         map[uint64]string          // why markers are, by global index

	samples map[uint64]batchSums // of windows, by global index

	sampledMarkers map[uint64]batchSums // the same by the numbers of markers
	doubts         doubts
	pages          []block               // the words of markers, with the numbers of tables as shards
	edges          map[uint64]edge       // by global index
	rows           map[uint64]block      // with the pairs of a marker, by global index
	ticks          map[tickKey]batchSums // of counters in windows
	changes        []change              // of the state

	traces map[uint32]*Ring // by processor
	names  *readers         // of what is read besides time, nil if nothing is
	readAt map[part]bool    // where that is known

	sizesAt  map[part]bool       // where times by size are known
	spreadAt map[spreadPart]bool // where it is known how values are spread

	picked map[uint64]float64 // by global index, with what probability; of a run that picked
}

// scratch is memory for what is known of one file, used again for the next.
type scratch struct {
	parts numbered[cell]           // what the blocks had, by global index: of the first of its processors
	cells numbered[profile.Marker] // figures without names, by global index
	texts table.Cache              // what their tables say
	buf   []byte                   // what input reads into

	counted map[*profile.Marker]bool // markers of the sum that the file has passages of

	cellPool   pool[cell]
	markerPool pool[profile.Marker]
	bucketPool pool[profile.Bucket]
}

// reset makes ready for the next file.
func (s *scratch) reset() {
	s.parts.reset()
	s.cells.reset()
	if s.counted == nil {
		s.counted = map[*profile.Marker]bool{}
	}
	clear(s.counted)
	s.cellPool.reset()
	s.markerPool.reset()
	s.bucketPool.reset()
}

// part names a cell: what one processor recorded at one marker.
type part struct {
	shard  uint32
	marker uint64
}

func (r *run) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, r.name+": "+fmt.Sprintf(format, args...))
}

// mostDamage is how many places of damage are named. A file of nothing but
// damage should not make a list that is longer than itself.
const mostDamage = 20

// damagedAt takes note of data that can't be read.
func (r *run) damagedAt(err error) {
	r.Damaged = true
	if r.damages++; r.damages > mostDamage {
		return
	}
	var d *damage
	if errors.As(err, &d) {
		r.Warnings = append(r.Warnings, err.Error())
	} else {
		r.warn("%v", err)
	}
}

func (r *run) damagedIf(err error) {
	if err != nil {
		r.damagedAt(err)
	}
}

func (r *run) read(sum *profile.Sum) {
	h := r.header
	r.howItEnded()
	if trouble := h.refine(&r.Clock); trouble != "" {
		r.warn("%s", trouble)
	}

	end := h.word(layout.OffUsed)
	switch {
	case end < layout.HeaderSize:
		if end != 0 || h.ended() || r.hasBlock() { // 0 while the program writes its header
			r.damagedAt(r.damaged(layout.OffUsed, "%d bytes in use can't be; no markers can be read", end))
		}
	case end > r.size:
		r.damagedAt(r.damaged(layout.OffUsed, "%d bytes in use, and the file has %d; it was cut off", end, r.size))
		end = r.size
	case r.size-end >= layout.HeaderSize:
		var next [len(layout.Magic)]byte
		if r.input.readAt(next[:], end) == nil && string(next[:]) == layout.Magic {
			r.warn("another data file begins at offset %d and is left out; give markgen both files, it adds them up", end)
		}
	}
	r.sums = r.readSums(end)
	err := r.blocks(end, r.block)
	r.damagedIf(err)
	if err == nil {
		r.damagedIf(r.sums.missing(r.input))
	}
	r.arrange()
	r.sum()
	r.elapsed()
	r.estimate()
	r.join(sum)
	r.sortTraces()
	r.setCost()
	r.Complete = h.ended() && !r.Damaged && !h.partial()
	if r.damages > mostDamage {
		r.warn("damaged besides: %s", units.Plural(uint64(r.damages-mostDamage), "place"))
	}
	if r.Lost > 0 {
		r.warn("lost for want of memory or on a thread's own stack: %s", units.Plural(r.Lost, "passage"))
	}
}

// hasBlock says whether there is something where the first block begins.
func (r *run) hasBlock() bool {
	var head [layout.BlockHeader]byte
	return r.input.readAt(head[:], layout.HeaderSize) == nil && head != [layout.BlockHeader]byte{}
}

// howItEnded says what is unusual about the end of the run.
func (r *run) howItEnded() {
	h := r.header
	if h.partial() {
		r.warn("the file could not grow; what was collected at more markers, or on more processors, later is missing")
	}
	pid := h.word(layout.OffPID)
	switch {
	case h.ended():
	case r.Alive:
		r.warn("process %d is still running; these are the figures so far", pid)
	case liveness:
		r.warn("process %d was not seen to end: it was killed or crashed, or, marked in place, called os.Exit or has no marker in package main; scopes that were open are in no count or time", pid)
	default:
		r.warn("process %d was killed or is still running; scopes that were or are open are in no count or time", pid)
	}
}

// elapsed is from the start to the end, or to the last that is known of a run that has none: the end of the latest scope, or the pause that
// came after it.
func (r *run) elapsed() {
	last, since := r.last, r.header.word(layout.OffSince)
	if r.header.word(layout.OffState) == layout.StatePaused && (last == 0 || int64(since-last) > 0) {
		last = since
	}
	if r.ElapsedNS = r.header.span(); r.ElapsedNS == 0 && last != 0 {
		r.ElapsedNS = profile.Duration(r.header.word(layout.OffStartTick), last, r.Clock.Hz)
	}
}

// block takes in one block of the file.
func (r *run) block(b block) {
	if err := r.sums.check(r.input, b); err != nil {
		r.damagedAt(err)
		return
	}
	var err error
	switch b.kind {
	case layout.BlockTable:
		err = r.table(b)
	case layout.BlockCell:
		err = r.cell(b)
	case layout.BlockBuckets:
		err = r.buckets(b)
	case layout.BlockStack:
		err = r.stack(b)
	case layout.BlockCounters:
		err = r.counterBlock(b)
	case layout.BlockAlias:
		err = r.alias(b)
	case layout.BlockSample:
		err = r.sampled(b)
	case layout.BlockMarkers:
		err = r.words(b)
	case layout.BlockTick:
		err = r.tick(b)
	case layout.BlockEdge:
		err = r.edge(b)
	case layout.BlockPairs:
		err = r.pairRow(b)
	case layout.BlockLog:
		err = r.log(b)
	case layout.BlockRing:
		err = r.ring(b)
	case layout.BlockTrace:
		err = r.drained(b)
	case layout.BlockReadings:
		err = r.readings(b)
	case layout.BlockRead:
		err = r.reads(b)
	case layout.BlockSizes:
		err = r.sizes(b)
	case layout.BlockSpread:
		err = r.spread(b)
	case layout.BlockWild:
		err = r.wild(b)
	case layout.BlockParents:
		err = r.parentBlock(b)
	case layout.BlockDemoted:
		err = r.demotedBlock(b)
	}
	r.damagedIf(err)
}

// sumOf is the sum of two lists of buckets, each sorted by K, in memory for this file.
func (s *scratch) sumOf(a, b []profile.Bucket) []profile.Bucket {
	return profile.AppendBuckets(s.bucketPool.take(len(a) + len(b))[:0], a, b)
}

// sum adds up the cells of each marker.
func (r *run) sum() {
	for index, c := range r.parts.all() {
		for ; c != nil; c = c.next {
			if !c.settle(r.torn, r.header.partial()) {
				r.damagedAt(r.damaged(c.offset, "a cell of marker number %d whose figures contradict each other; it is left out", index))
				continue
			}
			if c.last != 0 && (r.last == 0 || int64(c.last-r.last) > 0) {
				r.last = c.last
			}
			f := r.figures(index)
			switch {
			case len(c.buckets) == 0:
			case len(f.Buckets) == 0:
				f.MinNS, f.MaxNS = c.min, c.max
			default:
				f.MinNS, f.MaxNS = min(f.MinNS, c.min), max(f.MaxNS, c.max)
			}
			f.Count = profile.Add64(f.Count, c.count)
			f.SelfNS = profile.Add64(f.SelfNS, c.self)
			f.NestedNS = profile.Add64(f.NestedNS, c.nested)
			f.Ticks = profile.Add64(f.Ticks, c.ticks)
			f.Seen = profile.Add64(f.Seen, c.seen)
			f.Sample = max(f.Sample, c.rate)
			if f.Buckets == nil {
				f.Buckets = c.buckets
			} else {
				f.Buckets = r.sumOf(f.Buckets, c.buckets)
			}
		}
	}
}
