// Package layout has the layout of a data file, shared by the code that writes it (package perf)
// and the code that reads it: constants, and the checksums. docs/reference/data-file.md describes it with the
// rules for readers. All words are unsigned, in the byte order of the machine that wrote the file;
// all offsets are in bytes.
package layout

// Magic begins every data file.
const Magic = "markgen\x00"

// Version is the version of the layout described here. A reader refuses any other; if it equals
// Version with its bytes swapped, the file comes from a machine of the other byte order.
const Version = 7

// HeaderSize is the size of the header page; the first block begins there.
const HeaderSize = 4096

// Offsets of the header's words. Those marked u32 are 4 bytes, the others 8.
const (
	OffMagic       = 0   // 8 bytes, Magic
	OffVersion     = 8   // u32, Version
	OffHeaderSize  = 12  // u32, HeaderSize
	OffState       = 16  // State…; if not StateStopped, and the process is gone, it was killed or crashed
	OffUsed        = 24  // bytes of the file that hold published content, header included
	OffPID         = 32  // process id
	OffStartWall   = 40  // ns since the Unix epoch at start
	OffEndWall     = 48  // the same at the end; 0 until then
	OffStartMono   = 56  // monotonic ns at start, read together with OffStartTick
	OffEndMono     = 64  // monotonic ns at the end, read together with OffEndTick; 0 until then
	OffStartTick   = 72  // clock ticks at start
	OffEndTick     = 80  // clock ticks at the end; 0 until then
	OffClock       = 88  // Clock…
	OffHz          = 96  // ticks per second, as known at start and as used for every ns in the file
	OffQuantum     = 104 // the clock's smallest step, ps
	OffRead        = 112 // cost of one clock read, ps
	OffScopeInside = 120 // own duration of an empty scope, ps; subtracted from every duration
	OffScopeCost   = 128 // total cost of an empty scope, ps; subtracted for every scope inside a scope
	OffLost        = 136 // scopes that could not be recorded at all
	OffFlags       = 144 // Flag… bits
	OffProcs       = 152 // GOMAXPROCS at start
	OffTriggers    = 160 // Trigger… bits: what may change the state
	OffSince       = 168 // tick of the latest change of state
	OffProfiled    = 176 // ticks spent in StateProfiling before that
	OffCPUTime     = 184 // CPU time of the process from start to end, ns; 0 until then, or if unknown
	OffCount       = 192 // cost of an execution that is only counted, ps
	OffSums        = 200 // size of the BlockSums at the end of a run that has ended; 0 if none
	OffSeen        = 208 // tick until which a run with demoted markers was seen to go on, to 100 ms; 0 if none
	OffApp         = 256 // name of the executable, NUL-padded
	OffGo          = 512 // Go version, NUL-padded
	OffGOOS        = 576
	OffGOARCH      = 608
	OffConfig      = 1024 // the value of MARKGEN, NUL-padded, cut when longer

	// Words that steer the run. The process and any process that may write its file change them by
	// single atomic operations.
	OffSampleN      = 2048 // N of sample=1:N for all markers; 0 or 1 if every scope is recorded
	OffWindowFrom   = 2056 // tick at which the latest window began: scopes that begin in it are recorded
	OffWindowWidth  = 2064 // its length in ticks; 0 if it has ended; all ones if there are no windows
	OffClosed       = 2072 // tick at which markers were last closed: open scopes may have missed their ends
	OffWindows      = 2080 // number of windows that have ended, or in which the run has
	OffWindowTicks  = 2088 // total length of these, ticks
	OffWindowTaken  = 2096 // estimated part of OffWindowTicks used for recording
	OffBatches      = 2104 // number of batches in which windows were added up, see BlockSample
	OffWindowStands = 2112 // ticks that windows stand for: each N times its length, at its rate 1:N

	// Traces.
	OffDrainer   = 2304 // ID of the process that drains the rings; 0 if none, and they keep the newest
	OffTraceLost = 2312 // records that no ring could hold

	OffPairsLost = 2320 // scopes whose pairs are unknown, see BlockPairs

	OffPathsLost   = 2328 // scopes whose path is unknown, see BlockPath
	OffOtherLabels = 2336 // scopes with the label PathOtherLabel

	// Build and machine, NUL-padded; empty where unknown.
	OffCPU   = 2560 // model of the processor, as it names itself
	OffMain  = 2688 // import path of the main package
	OffBuild = 3200 // version of its module, or revision

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
	StateStopped      = 4 // ended normally: the data are complete
)

// How a run can be steered, the bits at OffTriggers.
const (
	TriggerEvent = 1 << 0 // scopes of markers
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
	FlagPartial = 1 << 1  // the file could not grow: some later data are missing
	FlagPairs   = 1 << 2  // pairs of markers that were open at once were recorded, see BlockPairs
	FlagPaths   = 1 << 3  // paths were recorded, see BlockPath
	FlagTraced  = 1 << 8  // trace records were written
	FlagUntimed = 1 << 9  // nothing was timed: there are no cells
	FlagChosen  = 1 << 10 // other markers were chosen during the run, by another process or by collect=wild

	FlagCountdown = 1 << 11 // one scope in N is timed, at a fixed rate
)

// Blocks follow the header without gaps. A block begins with
//
//	type u32, shard u32, size u64
//
// where size is the size of the complete block, including these 16 bytes, and is a multiple of
// BlockAlign. The rest of a block is zero.
const (
	BlockHeader = 16
	BlockAlign  = 64

	OffBlockType  = 0
	OffBlockShard = 4
	OffBlockSize  = 8
)

// MaxShards is the number of processors with a shard each, numbered from 0. Shard MaxShards is for
// all further processors.
const MaxShards = 1024

// Block types. Readers skip types they do not know.
const (
	// BlockPad is unused space.
	BlockPad = 0

	// BlockTable has the text of one Register call.
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

	// BlockCounters has counters of one table. There may be several for a table, with different
	// shards: their counts add up.
	//
	//	16 number of the table u64
	//	24 number of counters u64
	//	32 offset in the block of a bit for each counter, set if only= or skip= excludes it, u64;
	//	   0 if none is excluded
	//	40 number of markers whose demoted scopes are counted u64; 0 or all
	//	64 one u64 a counter, then one a marker
	BlockCounters = 3

	// BlockAlias says that cells and open scopes of marker OffAliasFrom belong to marker
	// OffAliasTo. Markers have indexes in tables, and lower ones in the order of their first
	// scopes.
	//
	//	16 global index assigned at the first scope u64
	//	24 global index in the table u64, or NoMarker: not collected, to be dropped
	//	32 ns that the first scope in the process took, plus 1, u64; 0 if it has not ended,
	//	   or is uncertain
	BlockAlias = 4

	// BlockBuckets has GroupBuckets buckets of one marker on one shard; it is made when the first
	// scope with such a duration ends there.
	//
	//	16 global marker index u64
	//	24 number of the first bucket u64, a multiple of GroupBuckets
	//	64 the buckets
	BlockBuckets = 5

	// BlockStack has the open scopes of one goroutine, outermost first, or that of a stopwatch. It
	// changes while the program runs; its scopes at the end of the run were open then.
	//
	//	16 number of open scopes u32
	//	20 capacity u32
	//	64 Stack… of each
	BlockStack = 6

	// BlockMarkers has the words of a table's markers. Its data are mapped over the program's own
	// variables: processes that map the file can turn markers on and off.
	//
	//	16 number of the table u64
	//	24 number of markers u64
	//	32 offset of the first from the block's beginning u64
	//	40 address in the process, not for readers
	BlockMarkers = 7

	// BlockLog has the first LogRoom changes of state.
	//
	//	16 number of changes u64
	//	64 Log… of each
	BlockLog = 8

	// BlockSample has sums over the batches of windows, from which an estimate for the marker and
	// its standard error follow. n is the number of the marker's scopes in a batch, s their total
	// duration in ns, and x is N·n, at the rate 1:N, times the ratio of the length of the batch's
	// windows to their net time, the part not used for recording; all are float64.
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
	//	88 ticks of profiling (see OffProfiled) when sampling began u64
	//	96 OffWindowTaken, OffWindowStands, OffBatches at that time u64
	BlockSample = 9

	// BlockRing has the trace records of one shard, see Ring…. BlockTrace has records drained from
	// a ring, see Trace….
	BlockRing  = 10
	BlockTrace = 11

	// BlockReadings and BlockRead have the values that other collectors read, BlockEdge the index
	// of the cells of a marker under one caller.
	BlockReadings = 12
	BlockRead     = 13
	BlockEdge     = 14 // see OffEdge…

	// BlockSizes has the times of one marker on one shard by the size of the input,
	// NumBuckets buckets: bucket 0 is for size 0, bucket k for 2^(k-1) ≤ size < 2^k.
	//
	//	16 global marker index u64
	//	64 Size… of each
	//	   SizeLog… of each; not in shorter blocks
	BlockSizes = 16

	// BlockSpread has the histogram of the differences of one value of BlockReadings over the
	// scopes of one marker on one shard: GroupBuckets buckets, made for the first difference that
	// belongs there. Of NumBuckets buckets, bucket 0 is for 0, bucket k for 2^(k-1) ≤ difference <
	// 2^k. All differences are below 2^63.
	//
	//	16 global marker index u64
	//	24 number of the value u64, plus SpreadSelf if the scopes directly inside are excluded
	//	32 number of the first bucket u64, a multiple of GroupBuckets
	//	64 the buckets, as in BlockBuckets
	BlockSpread = 17

	// BlockPairs has the markers that had scopes open on one goroutine's stack while a scope of its
	// marker was open: markers with smaller indexes, and the marker itself if it was open inside
	// itself. It exists only with FlagPairs.
	//
	//	16 global marker index u64
	//	24 number of bits u64, one more than that
	//	64 the bits, by global marker index, in u64s, the lowest bit first
	BlockPairs = 18

	// BlockWild has the decisions of collect=wild. There is at most one.
	//
	//	16 Wild…: whether the process declined to collect, and why u64
	//	24 number of functions to pick u64
	//	32 number of candidates u64
	//	40 number of functions picked u64
	//	48 load of the machine at the start, in percent of all CPUs u64, or NoLoad
	//	64 Wild… of each picked function
	BlockWild = 20

	// BlockProfile is a CPU profile of the process, for the times of demoted markers. Each sample
	// stands for the same part of the process's CPU time.
	//
	//	24 bytes of text u64
	//	32 text, see package internal/cpuprofile
	BlockProfile = 21

	// BlockPath is a node of the tree of paths: scopes of a marker that begin directly inside a
	// scope of the parent. It exists only with FlagPaths, and comes after its parent.
	//
	//	16 number of the node u64
	//	24 number of the parent u64, or PathRoot
	//	32 global marker index u64, or NoMarker: scopes of all markers beyond the limit of nodes,
	//	   and those inside
	//	40 number of the label u64; 0 if there is none, or PathOtherLabel
	//	48 PathStarts if a scope is the first of a goroutine that was started inside the parent u64
	BlockPath = 24

	// BlockLabel is a label of nodes. It comes before them.
	//
	//	16 number of the label u64
	//	24 bytes of text u64
	//	32 text
	BlockLabel = 25

	// BlockPathCell has the figures of a node on one shard, see PathCell….
	BlockPathCell = 26

	// BlockPathBuckets has two buckets of the times of a node on one shard, see PathBuckets…. There are
	// such blocks with the key buckets only, each for the buckets that are needed.
	BlockPathBuckets = 28

	// BlockBudget has changes of the level at which markers and counters are collected, in a run
	// with budget=. There may be several, each with later changes; there is at least one in such a run.
	//
	//	16 what markers may cost, as a part of the program's processor time, ppm u64
	//	24 number of changes in the block u64, at most BudgetRoom
	//	64 Budget… of each
	BlockBudget = 27

	// BlockSums is the last block of a run that has ended, and has the checksums of its blocks,
	// which no longer change. They are directly before it.
	//
	//	16 number of blocks u64
	//	24 total size of these blocks u64
	//	32 checksum of the header u64, see SumHeader
	//	40 checksum of this block without this word, u64
	//	64 a u64 for each block, see SumBlock
	BlockSums = 23
)
