package runtime

// The layout of a data file, shared by the code that writes it (this
// package) and the code that reads it (package profile). docs/data-file.md
// tells the same with the rules for readers. All words are unsigned, in the
// byte order of the machine that wrote the file; all offsets are bytes.

// Magic opens every data file.
const Magic = "markgen\x00"

// Version is the layout described here. A reader refuses any other; a version
// that reads as Version with its bytes swapped comes from a machine of the
// other byte order.
const Version = 3

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
	OffApp        = 256 // name of the executable, NUL-padded
	OffGo         = 512 // Go version, NUL-padded
	OffGOOS       = 576
	OffGOARCH     = 608
	OffConfig     = 1024 // the value of MARKGEN, NUL-padded, cut when longer

	// What steers the run. The process and whoever may write its file change these
	// by single atomic operations.
	OffSampleN     = 2048 // sample=1:N for all markers, the N; 0 or 1: every passage
	OffWindowFrom  = 2056 // tick at which the latest window began: scopes are recorded that open
	OffWindowWidth = 2064 // within so many ticks from then on; 1: nothing was passed in it yet; all ones: there are no windows
	OffClosed      = 2072 // tick at which markers were closed last: what was open then may have missed its end
	OffWindows     = 2080 // windows that have ended
	OffWindowTicks = 2088 // ticks that they lasted, without what opening them took from the program
	OffWindowNet   = 2096 // the same less what scopes, and reading collectors, cost the program in them
	OffBatches     = 2104 // windows are added up in so many batches, see BlockSample
	OffTickTicks   = 2112 // ticks that counters were on in windows
	OffTickNet     = 2120 // the same less what counting and scopes cost the program
	OffWindowRead  = 2128 // ticks of OffWindowTicks that reading collectors took, by the clock
	OffWindowPaces = 2136 // of each of Paces how many ticks windows lasted, with what opening took, and what scopes and collectors cost in them
	OffTickPaces   = 2328 // the same of counters

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

// Paces classes of windows are told apart by how much of them recording took: the program did that much less in them. Each
// but the last has windows that were less than so many quarters as long as what recording left of them.
const Paces = 6

// MostPace is how many times as long as what recording left of them windows are taken to be at most: a scope costs about as
// much as the shortest functions take so many times.
const MostPace = 16

var PaceLimits = [Paces - 1]uint64{5, 7, 10, 16, 32}

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
	//	64 text
	BlockTable = 1

	// BlockCell is the cell of one marker on one shard, see Cell….
	BlockCell = 2

	// BlockCounters holds counters of one table. There may be several for a
	// table, with shards of their own: they add up.
	//
	//	16 number of the table u64
	//	24 number of counters u64
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
	//	40 passages of the marker before it was recorded in windows, if what is under this
	//	   number was; the latest of these, and how many ticks they took, u64; 0: not known
	BlockAlias = 4

	// BlockBuckets holds GroupBuckets buckets of one marker on one shard; one is
	// made when the first scope of those durations ends there.
	//
	//	16 global marker index u64
	//	24 number of the first bucket u64, a multiple of GroupBuckets
	//	64 the buckets
	BlockBuckets = 5

	// BlockStack holds the open scopes of one goroutine, outermost first. It
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

	// BlockSample has sums over the batches of windows, from which follows how far
	// off an estimate for the marker may be. n is the number of its passages in a
	// batch, and s the ns that they took; all are float64.
	//
	//	16 global marker index u64
	//	24 Σn
	//	32 Σn²
	//	40 Σs
	//	48 Σs²
	//	56 Σns
	//	64 what OffProfiled would have been when that began u64
	//	72 OffWindowNet, OffWindowTicks, OffBatches at that time u64
	//	96 the same when the rate became another; 0 until then
	//	128 Σn of the batches of each of Paces; not in blocks that end before
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
	//	40 sum of the squares of the counts of batches float64
	//	48 what OffProfiled would have been when that began u64
	//	56 OffTickNet, OffTickTicks, OffBatches at that time u64
	//	80 the same when the rate became another; 0 until then
	//	112 its count in the batches of each of Paces float64; not in blocks that end before
	//
	// A counter has one for each rate.
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
)

// Offsets in BlockSpread.
const (
	OffSpreadMarker = 16
	OffSpreadValue  = 24
	OffSpreadFirst  = 32
	OffSpreadData   = 64

	SpreadSelf = 1 << 32
	SpreadSize = OffSpreadData + GroupBuckets*BucketSize
)

// Offsets in BlockWild.
const (
	OffWildRefused = 16
	OffWildPick    = 24
	OffWildOf      = 32
	OffWildLen     = 40
	OffWildLoad    = 48
	OffWildData    = 64

	NoLoad = 1<<64 - 1 // it is not known

	WildPicked  = 0 // the process collects
	WildLoaded  = 1 // the machine was busy
	WildFull    = 2 // as many processes as may did so already
	WildNoPlace = 3 // that could not be told
)

// A function that was picked. Its random number was one of the exponential distribution
// with mean 1 + WildRuns, in 32.32, and less than WildLimit.
const (
	WildMarker = 0  // global index of its marker
	WildLimit  = 8  // NoLimit: it was sure to be picked
	WildRuns   = 16 // in how many runs it was measured before, as far as was known
	WildSize   = 24

	NoLimit = 1<<64 - 1
)

// A bucket of BlockSizes.
const (
	OffSizesMarker = 16
	OffSizesData   = 64

	SizeCount = 0  // scopes
	SizeSumLo = 8  // sum of the sizes, low word
	SizeSumHi = 16 // high word
	SizeNS    = 24 // sum of the times, ns
	SizeSqLo  = 32 // sum of the squares of the times, ns², low word
	SizeSqHi  = 40 // high word
	SizeSize  = 48 // of a bucket

	// Behind the buckets: of the logarithms of the times.
	OffSizesLogs  = OffSizesData + NumBuckets*SizeSize
	SizeLogSum    = 0 // sum
	SizeLogSquare = 8 // sum of the squares
	SizeLogSize   = 16

	SizesSize = OffSizesLogs + NumBuckets*SizeLogSize // of a block

	// What a logarithm is taken of is the time and SizeLogAdd ns, so that what a clock can't
	// tell does not count: it is that to the base 2, in 1/SizeLogUnit, and by less than
	// two of these too small.
	SizeLogAdd  = 16
	SizeLogUnit = 256
)

// A change of state in BlockLog, complete when its tick is not 0.
const (
	OffLogLen  = 16
	OffLogData = 64

	LogTick   = 0
	LogFrom   = 8  // u32, State…
	LogTo     = 12 // u32
	LogCause  = 16 // u32
	LogMarker = 20 // u32, number of the marker whose passage it was; 0: none
	LogSize   = 24
	LogRoom   = 1000

	LogBegin   = 1 // a marker was passed for the first time
	LogProgram = 2 // a call or a directive
	LogEvent   = 3 // a trigger on a marker, or on a number of records
	LogTimer   = 4 // a trigger after some time
	LogOutside = 5 // another process, by the data file
	LogEnd     = 6 // of the program
)

// The words of a marker in BlockMarkers. MarkerOff speaks for the marker and, at
// the first timed marker of a function, for all of the function, since its code
// tests that one. MarkerIndex speaks for the marker alone: if it is negative as an
// int32, it is not collected, or there is something to do before it is.
const (
	MarkerOff   = 0 // u32, 0 or Off… bits
	MarkerIndex = 4 // u32, 0 or what cells call it plus StackFirst, and Index… bits
	MarkerSize  = 8

	// MarkerPad is how many markers stand unused before and behind those of a
	// table, so that the pages that hold these hold nothing else.
	MarkerPad = 512

	OffByState  = 1 << 0  // the state is not profiling
	OffByChoice = 1 << 1  // only, skip or a person left it out
	OffByWindow = 1 << 2  // between two windows
	OffByLimit  = 1 << 3  // it has enough samples, or was called too often
	OffByOuter  = 1 << 4  // a scope of it is open inside which others are not recorded
	OffSettled  = 1 << 31 // besides one of the others: its scopes that were open have ended

	IndexOff          = 1 << 31 // with each of the following
	IndexOffChoice    = 1 << 24
	IndexOffEnough    = 1 << 25
	IndexOffThrottled = 1 << 26
	IndexWatched      = 1 << 27 // a trigger wants to know of every passage
	IndexKept         = 1 << 28 // its gate is open in every state, for a marker that is watched
	IndexCounted      = 1 << 29 // one passage in so many is timed
	IndexAsked        = 1 << 30 // somebody outside has begun to sample, see OffSampleN, or changed the state
	IndexMask         = 1<<24 - 1
)

// Offsets inside blocks, from the block's beginning.
const (
	OffTableNumber   = 16
	OffTableFirst    = 24
	OffTableMarkers  = 32
	OffTableCounters = 40
	OffTableLen      = 48
	OffTableText     = 64

	OffCountersTable = 16
	OffCountersLen   = 24
	OffCountersData  = 64

	OffAliasFrom  = 16
	OffAliasTo    = 24
	OffAliasFirst = 32
	OffAliasOften = 40

	OffMarkersTable = 16
	OffMarkersLen   = 24
	OffMarkersData  = 32

	OffPairsMarker = 16
	OffPairsLen    = 24
	OffPairsData   = 64

	OffEdgeIndex  = 16
	OffEdgeCaller = 24
	OffEdgeMarker = 32

	OffTickTable  = 16
	OffTickCount  = 32
	OffTickSince  = 48
	OffTickUntil  = 80
	OffTickPassed = 112
	TickSize      = OffTickPassed + 8*Paces

	OffSampleMarker = 16
	OffSampleSums   = 24
	OffSampleSince  = 64
	OffSampleUntil  = 96
	OffSamplePassed = 128
	SampleSize      = OffSamplePassed + 8*Paces

	OffBucketsMarker = 16
	OffBucketsFirst  = 24
	OffBucketsData   = 64

	OffStackLen  = 16
	OffStackRoom = 20
	OffStackData = 64
)

// An open scope in a BlockStack.
const (
	StackStart  = 0  // tick when it began
	StackMarker = 32 // u32: the lower 29 bits less StackFirst are the global index of its marker
	StackFirst  = 2
	StackSize   = 40 // of each
)

// A ring. Record number n, from 0, has place n modulo the room. Of the records
// written those are there whose numbers are at least the number taken out, and
// greater than the number written less the room: one may be about to be
// overwritten.
const (
	RingRoom    = 16  // for how many records there is room
	RingDrained = 24  // how many of the first have been taken out; written by who does
	RingLost    = 32  // how many found no room, since the ring was full and is drained
	RingGap     = 40  // how many of these came after the latest record
	RingGapTick = 48  // and the tick of the first of them
	RingGapLast = 56  // and that of the last
	RingWritten = 64  // how many have been written
	RingData    = 128 // the records

	TraceFirst = 16 // number of the first record
	TraceLen   = 24 // how many
	TraceData  = 64 // the records, in the order of their numbers
)

// A trace record.
const (
	RecordTick      = 0  // when the marker was reached
	RecordGoroutine = 8  // which goroutine reached it; of RecordGap how many records are missing
	RecordMarker    = 16 // u32: the lower 24 bits less StackFirst are the global index of the marker, the upper 8 are Record…
	RecordLevel     = 20 // u32: place of the scope among those open on its goroutine, from 1; 0: it is none
	RecordCost      = 24 // the lower 40 bits are ticks/256 from the tick on that the marker took from the program; the upper 24 the record's number. Of RecordGap they are the ticks to the last that is missing; the largest number means at least that
	RecordSize      = 32

	RecordKindShift = 24
	RecordCostBits  = 40
)

// Kinds of records, the upper 8 bits at RecordMarker.
const (
	RecordPoint = 1 // a passage without a duration
	RecordEnter = 2 // a scope begins
	RecordExit  = 3 // a scope ends
	RecordLeft  = 4 // a scope has been left by a panic or runtime.Goexit some time before
	RecordTaken = 5 // nothing is passed: the time that a marker took besides, when it was passed first, say
	RecordGap   = 6 // records are missing here
)

// NoMarker is the global index of no marker.
const NoMarker = 1<<64 - 1

// The block of a cell. The passages of a marker are CellPasses plus the
// counts of its buckets, added over all shards. Bucket k holds the scopes of
// 2^k ≤ ns < 2^(k+1); 0 ns goes to bucket 0. All ns are corrected for what
// markers cost (OffInside, OffWhole), ticks are as the clock gave them.
const (
	CellMarker = 16  // global marker index
	CellPasses = 24  // passages without a duration (points, count-only markers)
	CellSelf   = 32  // ns not spent in marked children
	CellTicks  = 40  // sum of durations in raw clock ticks
	CellMin    = 48  // shortest, ns; all ones: none yet
	CellMax    = 56  // longest, ns
	CellLast   = 64  // tick at the end of the latest scope
	CellNested = 72  // ns of scopes inside another scope of the same marker on their goroutine
	CellNoSelf = 80  // scopes whose children could not be followed: counted as all self
	CellSeen   = 88  // passages, where one in CellRate is timed: those in the buckets are among them
	CellLeft   = 96  // nothing for readers: until the next that is timed, or with a seed how many there were
	CellRate   = 104 // 0: every passage is timed
	CellLatest = 112 // number and address of the latest bucket, as CellGroups
	CellGroups = 128 // addresses of the groups in the process that writes, nothing for readers
	CellSize   = CellGroups + 8*NumBuckets/GroupBuckets
)

// Buckets come in groups, since a marker's durations are mostly alike.
const (
	NumBuckets   = 64
	GroupBuckets = 8

	BucketSize  = 32
	BucketCount = 0
	BucketSum   = 8  // ns
	BucketSqLo  = 16 // sum of squares, ns², low word
	BucketSqHi  = 24 // high word

	BucketsSize = OffBucketsData + GroupBuckets*BucketSize
)

// TableVersion of the text in BlockTable: one record a line, fields separated
// by tabs. Readers ignore lines of kinds they do not know.
//
//	p IMPORTPATH
//	f FILE
//	m ID KIND FILEIDX LINE COL GATE|- FLAGS GROUP SAMPLE NAME
//	c ID KIND FILEIDX LINE COL NAME
//	b FILEIDX STARTLINE STARTCOL ENDLINE ENDCOL NUMSTMT
//
// A text that begins with the byte PackedText is packed. SizePackedHead bytes of
// it are that byte and the length of the plain text, a u32 with the low byte
// first on every machine; the rest is DEFLATE data (RFC 1951). A plain text is at
// most MostPacked times as long as the data. PackedSampled is PackedText for a
// table in which the SAMPLE of a marker is not 1; one that is not packed begins
// with the line s then.
const (
	TableVersion   = 1
	PackedText     = 0
	PackedSampled  = 1
	SizePackedHead = 5
	MostPacked     = 64
)

// Offsets in BlockReadings, which names what collectors besides time read at both
// ends of each scope. There is at most one, before the first BlockRead. Its text
// has a line for each value, those of a collector together: the collector's name, a
// tab, the value's name.
const (
	OffReadingsCollectors = 16 // how many collectors
	OffReadingsValues     = 24 // how many values of all of them
	OffReadingsLen        = 32 // bytes of text
	OffReadingsText       = 64

	MostCollectors = 8  // in BlockReadings
	MostValues     = 64 // of all collectors
)

// A BlockRead has what was read at one marker on one shard. At OffReadData are the
// Read… words of each collector, then the ReadValue… words of each value, both in the
// order of BlockReadings, whose numbers it repeats.
const (
	OffReadMarker     = 16 // global marker index
	OffReadCollectors = 24
	OffReadValues     = 32
	OffReadData       = 64

	ReadScopes  = 0 // scopes that were read at both ends
	ReadDropped = 8 // scopes that ended and were not
	ReadSize    = 16

	ReadValueSum    = 0  // differences between the ends of the scopes that were read
	ReadValueSelf   = 8  // the same less those of the scopes directly inside
	ReadValueNested = 16 // of the sum, what is of scopes inside another of the same marker on their goroutine
	ReadValueSize   = 24
)

// Behind that are addresses in the process that writes, nothing for readers.
