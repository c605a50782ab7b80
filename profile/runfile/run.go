package runfile

import (
	"errors"
	"fmt"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/table"
	"github.com/markgen/markgen/runtime/layout"
	"github.com/markgen/markgen/units"
)

// readRun reads a run and adds its markers and blocks to sum.
func (in *input) readRun(alive bool, sum *Sum) (*run, error) {
	h, err := in.readHeader()
	if err != nil {
		return nil, err
	}
	sum.scratch.reset()
	run := &run{
		input:     in,
		header:    h,
		tolerance: toleranceKilled,
		tables:    map[uint64]*unitTable{},
		scratch:   &sum.scratch,
		off:       map[uint64]string{},
		counters:  map[uint64][]block{}, counterBits: map[uint64]block{}, demoted: map[uint64][]block{},
		samples: map[uint64]batchSums{},
		tree:    pathTree{recorded: map[uint64]figures{}},

		sampledMarkers: map[uint64]batchSums{},
		edges:          map[uint64]edge{},
		rows:           map[uint64]block{},
		traces:         map[uint32]*Ring{},
		readAt:         map[cellKey]bool{},
		sizesAt:        map[cellKey]bool{},
		spreadAt:       map[spreadKey]bool{},
		Profile:        h.profile(),
	}
	run.Alive = alive && !h.ended()
	if alive {
		run.tolerance = toleranceRunning
	}
	run.read(&sum.Sum)
	return run, nil
}

// run is the state of reading a data file: the profile so far, whose markers and blocks are added
// to a Sum.
type run struct {
	*input
	*profile.Profile
	*scratch
	header    header
	tolerance uint64  // see Bucket.Settle
	last      uint64  // latest end of a scope in any cell, or begin of a window, ticks; 0 if there is none
	costNS    float64 // estimated cost of recording, see costs

	cpuProfile  cpuProfile // for the times of demoted markers; empty if there is none
	sampledCost float64    // processor time in markers' own code by the CPU profile, ns; 0 if unknown

	damages int   // number of damaged places so far
	sums    *sums // nil if the file has none

	tables      map[uint64]*unitTable // by number
	ordered     []*unitTable          // by global index of their first marker, once all are known
	counters    map[uint64][]block    // by table number, one block per shard
	demoted     map[uint64][]block    // by table number: headless blocks, one word per marker that can be demoted
	counterBits map[uint64]block      // by table number: headless blocks, one bit per counter that is off
	aliases     []alias               // in file order
	off         map[uint64]string     // why markers are off, by global index

	samples map[uint64]batchSums // of sampling windows, by global index of cells

	sampledMarkers map[uint64]batchSums // the same by global index of markers
	doubts         doubts
	pages          []block          // words of markers, with the table number in shard
	edges          map[uint64]edge  // by global index
	rows           map[uint64]block // pairs of markers, by global index
	changes        []change         // changes of state
	levels         levels           // of markers and counters, in a run with a budget
	tree           pathTree

	traces map[uint32]*Ring // by processor
	names  *readers         // of collectors other than time; nil if there are none
	readAt map[cellKey]bool // readings seen

	sizesAt  map[cellKey]bool   // times by size seen
	spreadAt map[spreadKey]bool // value distributions seen

	picked map[uint64]float64 // probability by global index, in a run that picked functions
}

// scratch is memory used while a file is read, reused for the next file.
type scratch struct {
	shardCells sparse[cell]           // cells by global index, the first of a list with one per processor
	totals     sparse[profile.Marker] // data by global index, summed over processors, not assigned to markers yet
	texts      table.Cache            // parsed tables
	buf        []byte                 // buffer of input

	counted map[*profile.Marker]bool // markers of the sum that the file has calls of

	cellPool   pool[cell]
	markerPool pool[profile.Marker]
	bucketPool pool[profile.Bucket]
}

// reset prepares s for the next file.
func (s *scratch) reset() {
	s.shardCells.reset()
	s.totals.reset()
	if s.counted == nil {
		s.counted = map[*profile.Marker]bool{}
	}
	clear(s.counted)
	s.cellPool.reset()
	s.markerPool.reset()
	s.bucketPool.reset()
}

// A cellKey identifies the cell of one processor at one marker.
type cellKey struct {
	shard  uint32
	marker uint64
}

func (r *run) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, r.name+": "+fmt.Sprintf(format, args...))
}

// maxDamage is the maximum number of damaged places reported in detail, so that a file full of
// damage does not give a list longer than itself.
const maxDamage = 20

// damagedAt records damage in the file.
func (r *run) damagedAt(err error) {
	r.Damaged = true
	if r.damages++; r.damages > maxDamage {
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
	if r.damages > maxDamage {
		r.warn("damaged besides: %s", units.Plural(uint64(r.damages-maxDamage), "place"))
	}
	if r.Lost > 0 {
		r.warn("not recorded, for lack of memory or on a thread's own stack: %s", units.Plural(r.Lost, "scope"))
	}
}

// hasBlock reports whether there are nonzero bytes where the first block begins.
func (r *run) hasBlock() bool {
	var head [layout.BlockHeader]byte
	return r.input.readAt(head[:], layout.HeaderSize) == nil && head != [layout.BlockHeader]byte{}
}

// NotSeenToEnd returns what a warning says of a process whose end was not seen, before a semicolon.
func NotSeenToEnd(pid int) string {
	return fmt.Sprintf("process %d was not seen to end: it was killed or crashed, or, marked in place, called os.Exit or has no marker in package main", pid)
}

// howItEnded warns if the end of the run was unusual.
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
		r.warn("%s; scopes that were open are in no count or time", NotSeenToEnd(int(pid)))
	default:
		r.warn("process %d was killed or is still running; scopes that were or are open are in no count or time", pid)
	}
}

// elapsed sets the duration of the run. If it has not ended, it lasts until the end of the latest
// scope, the begin of the latest window, or a later pause.
func (r *run) elapsed() {
	last, since := r.last, r.header.word(layout.OffSince)
	if r.header.word(layout.OffState) == layout.StatePaused && (last == 0 || int64(since-last) > 0) {
		last = since
	}
	if r.ElapsedNS = r.header.span(); r.ElapsedNS == 0 && last != 0 {
		r.ElapsedNS = profile.Duration(r.header.word(layout.OffStartTick), last, r.Clock.Hz)
	}
}

// block reads one block of the file.
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
	case layout.BlockPath:
		err = r.path(b)
	case layout.BlockLabel:
		err = r.label(b)
	case layout.BlockPathCell:
		err = r.pathCell(b)
	case layout.BlockPathBuckets:
		err = r.pathBuckets(b)
	case layout.BlockSizes:
		err = r.sizes(b)
	case layout.BlockSpread:
		err = r.spread(b)
	case layout.BlockWild:
		err = r.wild(b)
	case layout.BlockProfile:
		err = r.profileBlock(b)
	case layout.BlockBudget:
		err = r.budgetBlock(b)
	}
	r.damagedIf(err)
}

// sumOf returns the sum of two lists of buckets, each sorted by K, in memory that lasts until the
// next file.
func (s *scratch) sumOf(a, b []profile.Bucket) []profile.Bucket {
	return profile.AppendBuckets(s.bucketPool.take(len(a) + len(b))[:0], a, b)
}

// seen notes that the process was there at a tick; 0 for none.
func (r *run) seen(tick uint64) {
	if tick != 0 && (r.last == 0 || int64(tick-r.last) > 0) {
		r.last = tick
	}
}

// sum adds up the cells of each marker.
func (r *run) sum() {
	r.seen(r.header.word(layout.OffSeen))
	if r.header.word(layout.OffWindows) > 0 {
		r.seen(r.header.word(layout.OffWindowFrom)) // windows go on while no scope does
	}
	for index, c := range r.shardCells.all() {
		for ; c != nil; c = c.next {
			if !c.settle(r.tolerance, r.header.partial()) {
				r.damagedAt(r.damaged(c.offset, "a cell of marker number %d whose figures contradict each other; it is left out", index))
				continue
			}
			r.seen(c.last)
			f := r.total(index)
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
