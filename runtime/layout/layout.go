// Package layout is the layout of a data file, shared by the code that writes it (package perf)
// and the code that reads it: constants, and the checksums. docs/data-file.md
// tells the same with the rules for readers. All words are unsigned, in the
// byte order of the machine that wrote the file; all offsets are bytes.
package layout

// Magic opens every data file.
const Magic = "markgen\x00"

// Version is the layout described here. A reader refuses any other; a version
// that reads as Version with its bytes swapped comes from a machine of the
// other byte order.
const Version = 6

// HeaderSize is the size of the header page; the first block begins there.
const HeaderSize = 4096

// Offsets of the header's words. Those marked u32 are 4 bytes, the others 8.
const (
	OffMagic      = 0   // 8 bytes, Magic
	OffVersion    = 8   // u32, Version
	OffHeaderSize = 12  // u32, HeaderSize
	OffState      = 16  // State…; anything but StateStopped in a file whose process is gone: it was killed or crashed
	OffUsed       = 24  // bytes of the file that hold published content, header included
	OffPID        = 32  // process id
	OffStartWall  = 40  // ns since the Unix epoch at start
	OffEndWall    = 48  // the same at the end; 0 until then
	OffStartMono  = 56  // monotonic ns at start, taken together with OffStartTick
	OffEndMono    = 64  // monotonic ns at the end, taken together with OffEndTick; 0 until then
	OffStartTick  = 72  // clock ticks at start
	OffEndTick    = 80  // clock ticks at the end; 0 until then
	OffClock      = 88  // Clock…
	OffHz         = 96  // ticks per second, as known at start and as used for every ns in the file
	OffQuantum    = 104 // the clock's smallest step, ps
	OffRead       = 112 // cost of one clock read, ps
	OffInside     = 120 // what an empty scope measures as its own duration, ps; taken off every duration
	OffWhole      = 128 // what an empty scope costs the program in all, ps, as measured last; taken off durations for every scope inside
	OffLost       = 136 // scopes that could not be recorded at all
	OffFlags      = 144 // Flag… bits
	OffProcs      = 152 // GOMAXPROCS at start
	OffTriggers   = 160 // Trigger… bits: what may change the state
	OffSince      = 168 // tick of the latest change of state
	OffProfiled   = 176 // ticks spent in StateProfiling before that
	OffCPUTime    = 184 // processor time that the process took from the start to the end, ns; 0 until then, and where the system does not tell
	OffCount      = 192 // what a passage that is only counted costs the program, ps, as measured last
	OffSums       = 200 // size of the BlockSums with which the bytes in use end, once the run has ended; 0: there is none
	OffApp        = 256 // name of the executable, NUL-padded
	OffGo         = 512 // Go version, NUL-padded
	OffGOOS       = 576
	OffGOARCH     = 608
	OffConfig     = 1024 // the value of MARKGEN, NUL-padded, cut when longer

	// What steers the run. The process and whoever may write its file change these
	// by single atomic operations.
	OffSampleN      = 2048 // sample=1:N for all markers, the N; 0 or 1: every passage
	OffWindowFrom   = 2056 // tick at which the latest window began: scopes are recorded that open
	OffWindowWidth  = 2064 // within so many ticks from then on; 0: it has ended; all ones: there are no windows
	OffClosed       = 2072 // tick at which markers were closed last: what was open then may have missed its end
	OffWindows      = 2080 // windows that have ended, or in which the run has
	OffWindowTicks  = 2088 // ticks that they lasted
	OffWindowTaken  = 2096 // of these, what recording is estimated to have taken from the program
	OffBatches      = 2104 // windows are added up in so many batches, see BlockSample
	OffWindowStands = 2112 // for how many ticks windows stand: of each N times its length, at the rate of then
	OffTickStands   = 2120 // the same of the times that counters were on for windows

	// Traces.
	OffDrainer   = 2304 // process id of who drains the rings; 0: nobody does, and rings keep the newest records
	OffTraceLost = 2312 // records that no ring could take

	OffPairsLost = 2320 // scopes of which it is not known with which others they were open, see BlockPairs

	// What was built and what it runs on, NUL-padded; empty where it is not known.
	OffCPU   = 2560 // model of the processor, as it names itself
	OffMain  = 2688 // import path of the main package
	OffBuild = 3200 // version of its module, or the revision it was built from

	SizeApp    = 256
	SizeGo     = 64
	SizeGOOS   = 32
	SizeGOARCH = 32
	SizeConfig = 1024
	SizeCPU    = 128
	SizeMain   = 512
	SizeBuild  = 128
)

// States of a run, the value at OffState.
const (
	StateUnconfigured = 0
	StateConfigured   = 1
	StateProfiling    = 2
	StatePaused       = 3
	StateStopped      = 4 // ended in order: everything is there
)

// What a run is steered by, the bits at OffTriggers.
const (
	TriggerEvent = 1 << 0 // passages through markers
	TriggerTimer = 1 << 1 // time
)

// Clocks, the value at OffClock.
const (
	ClockTSC    = 1 // RDTSC, invariant
	ClockCNTVCT = 2 // the virtual counter of arm64
	ClockMono   = 3 // the Go runtime's monotonic clock, one tick a nanosecond
)

// Flags at OffFlags.
const (
	FlagNoSelf  = 1 << 0  // self times were not collected: CellSelf means nothing
	FlagPartial = 1 << 1  // the file could not grow: what came later is not in it
	FlagPairs   = 1 << 2  // it was recorded which markers were open at once, see BlockPairs
	FlagTraced  = 1 << 8  // records were written
	FlagUntimed = 1 << 9  // nothing was timed: there are no cells
	FlagChosen  = 1 << 10 // other markers were chosen meanwhile, from outside or by collect=wild

	FlagCountdown = 1 << 11 // passages are counted down, at a rate that stays
)

// Blocks follow the header without gaps. A block begins with
//
//	type u32, shard u32, size u64
//
// where size counts the whole block, these 16 bytes included, and is a
// multiple of BlockAlign. Content beyond what a type defines is zero.
const (
	BlockHeader = 16
	BlockAlign  = 64

	OffBlockType  = 0
	OffBlockShard = 4
	OffBlockSize  = 8
)

// MaxShards is how many processors have a shard each, numbered from 0. That number
// itself stands for all processors beyond.
const MaxShards = 1024

// Block types. Readers skip types they do not know.
const (
	// BlockPad is unused space.
	BlockPad = 0

	// BlockTable holds the text that one Register call published.
	//
	//	16 number of the table u64 (0, 1, 2, … in order of registration)
	//	24 global index of its first marker u64: the i-th m line has index first+i
	//	32 number of markers u64
	//	40 number of counters u64
	//	48 bytes of text u64
	//	56 checksum of these words and of the text, see Checksum u64
	//	64 text
	BlockTable = 1

	// BlockCell is the cell of one marker on one shard, see Cell….
	BlockCell = 2

	// BlockCounters holds counters of one table. There may be several for a
	// table, with shards of their own: they add up.
	//
	//	16 number of the table u64
	//	24 number of counters u64
	//	32 offset in the block of a bit for each that only= and skip= leave out, u64; 0: none is
	//	64 one u64 a counter
	BlockCounters = 3

	// BlockAlias says that cells and open scopes of marker OffAliasFrom belong to
	// marker OffAliasTo. Markers are numbered by tables, and by when they are
	// passed first, below the first table's.
	//
	//	16 global index that was handed out first u64
	//	24 global index in the table u64, or NoMarker: not collected, to be dropped
	//	32 ns that the first passage in the process took, and 1, u64; 0: it has not ended,
	//	   or may not be the first
	BlockAlias = 4

	// BlockBuckets holds GroupBuckets buckets of one marker on one shard; one is
	// made when the first scope of those durations ends there.
	//
	//	16 global marker index u64
	//	24 number of the first bucket u64, a multiple of GroupBuckets
	//	64 the buckets
	BlockBuckets = 5

	// BlockStack holds the open scopes of one goroutine, outermost first, or that of a stopwatch. It
	// changes while the program runs; what is in it when the run has ended was
	// open then.
	//
	//	16 number of open scopes u32
	//	20 most that there is room for u32
	//	64 Stack… of each
	BlockStack = 6

	// BlockMarkers holds the words of a table's markers. Its data are mapped over
	// the program's own variables: who maps the file turns markers on and off.
	//
	//	16 number of the table u64
	//	24 number of markers u64
	//	32 offset of the first from the block's beginning u64
	//	40 address in the process, nothing for readers
	BlockMarkers = 7

	// BlockLog holds the first LogRoom changes of state.
	//
	//	16 how many there were u64
	//	64 Log… of each
	BlockLog = 8

	// BlockSample has sums over the batches of windows, from which follow an estimate for
	// the marker and how far off it may be. n is the number of its passages in a batch, s the
	// ns that they took, x is N·n, of the rate 1:N, times how many times as long the windows of the batch
	// were as their net time, what recording left of them; all are float64.
	//
	//	16 global marker index u64
	//	24 Σn
	//	32 Σn²
	//	40 Σs
	//	48 Σs²
	//	56 Σns
	//	64 ΣNn
	//	72 Σx
	//	80 Σx²
	//	88 what OffProfiled would have been when that began u64
	//	96 OffWindowTaken, OffWindowStands, OffBatches at that time u64
	BlockSample = 9

	// BlockRing holds the trace records of one shard, see Ring…. BlockTrace holds
	// records that were taken out of a ring, see Trace….
	BlockRing  = 10
	BlockTrace = 11

	// BlockReadings and BlockRead hold what other collectors read, BlockEdge the
	// cells of a marker under one caller.
	BlockReadings = 12
	BlockRead     = 13
	BlockEdge     = 14 // see OffEdge…

	// BlockTick has what a counter counted in windows. What it counted before is with
	// the other counters of its table.
	//
	//	16 number of the table u64
	//	24 which of its counters u64
	//	32 count u64
	//	40 ΣNn, Σx, Σx² as in BlockSample, float64
	//	64 what OffProfiled would have been when that began u64
	//	72 OffWindowTaken, OffTickStands, OffBatches at that time u64
	BlockTick = 15

	// BlockSizes has the times of one marker on one shard by the size of the input,
	// NumBuckets buckets: bucket 0 is for size 0, bucket k for 2^(k-1) ≤ size < 2^k.
	//
	//	16 global marker index u64
	//	64 Size… of each
	//	   SizeLog… of each; not in blocks that end before
	BlockSizes = 16

	// BlockSpread has how the differences of one value of BlockReadings are spread over
	// the scopes of one marker on one shard: GroupBuckets buckets, made when the first
	// difference belongs there. Bucket 0 of NumBuckets is for 0, bucket k for
	// 2^(k-1) ≤ difference < 2^k. All are below 2^63.
	//
	//	16 global marker index u64
	//	24 number of the value u64, plus SpreadSelf if it is without the scopes directly inside
	//	32 number of the first bucket u64, a multiple of GroupBuckets
	//	64 the buckets, as those of BlockBuckets
	BlockSpread = 17

	// BlockPairs says which markers had scopes open on one goroutine's stack while one
	// of a marker was: those of smaller indexes, and of the same one if it was open
	// inside itself. There are some with FlagPairs only.
	//
	//	16 global marker index u64
	//	24 number of bits u64, one more than that
	//	64 the bits, by global marker index, in u64s, the lowest bit first
	BlockPairs = 18

	// BlockWild says what collect=wild decided. There is one of it at most.
	//
	//	16 Wild…: whether the process declined to collect, and why u64
	//	24 how many functions were to be picked u64
	//	32 how many there were to pick from u64
	//	40 how many are picked u64
	//	48 load of the machine at the start, of 100 for each processor u64, or NoLoad
	//	64 Wild… of each that is picked
	BlockWild = 20

	// BlockParents has the parents of some of the scopes of a marker, from which a reader tells
	// where self time went after it was demoted.
	BlockParents = 21

	// BlockDemoted has what had been timed of a marker when it was first demoted.
	BlockDemoted = 22

	// BlockSums ends a run that has ended, and has the checksums of its blocks, which do not change
	// any more. They stand directly before it.
	//
	//	16 number of blocks u64
	//	24 bytes of them u64
	//	32 checksum of the header u64, see SumHeader
	//	40 checksum of this block, this word taken for 0, u64
	//	64 a u64 for each block, see SumBlock
	BlockSums = 23
)
