package layout

// Contents of the blocks of a data file; layout.go lists their kinds.

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

	NoLoad = 1<<64 - 1 // the load is unknown

	WildPicked  = 0 // the process collects
	WildLoaded  = 1 // the machine was busy
	WildFull    = 2 // as many processes as allowed were collecting already
	WildNoPlace = 3 // whether others were collecting could not be found out
)

// A picked function. Its random number is from the exponential distribution with mean 1 + WildRuns,
// in 32.32, and is less than WildLimit.
const (
	WildMarker = 0  // global index of its marker
	WildLimit  = 8  // NoLimit if it was certain to be picked
	WildRuns   = 16 // number of earlier runs known to have measured it
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
	SizeSize  = 48 // size of a bucket

	// After the buckets, for each: sums over the logarithms of the times.
	OffSizesLogs  = OffSizesData + NumBuckets*SizeSize
	SizeLogSum    = 0 // sum
	SizeLogSquare = 8 // sum of the squares
	SizeLogSize   = 16

	SizesSize = OffSizesLogs + NumBuckets*SizeLogSize // size of a block

	// The logarithm is of the time plus SizeLogAdd ns, so that differences below the clock's
	// resolution do not count. It is to the base 2, in units of 1/SizeLogUnit, and less than two
	// units too small.
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
	LogMarker = 20 // u32, number of the marker whose scope was the cause; 0 if none
	LogSize   = 24 // size of a change
	LogRoom   = 1000

	LogBegin   = 1 // the first scope
	LogProgram = 2 // a call or a directive
	LogEvent   = 3 // a trigger on a marker, or on a number of records
	LogTimer   = 4 // a trigger after some time
	LogOutside = 5 // another process, by the data file
	LogEnd     = 6 // end of the program
)

// A change in BlockBudget, of one marker or counter.
const (
	OffBudgetPPM  = 16
	OffBudgetLen  = 24
	OffBudgetData = 64

	BudgetTick  = 0
	BudgetTable = 8  // u32, number of the table
	BudgetLine  = 12 // u32, number of the marker in the table, or of the counter with BudgetCounter
	BudgetFrom  = 16 // u32, Level…
	BudgetTo    = 20 // u32
	BudgetSize  = 24 // size of a change
	BudgetRoom  = 500

	BudgetCounter = 1 << 31 // in BudgetLine

	LevelTimed   = 0
	LevelCounted = 1 // counted
	LevelOff     = 2
)

// The words of a marker in BlockMarkers. MarkerOff is for the marker and, at the first timed marker
// of a function, for all of the function, since its code tests that word. MarkerIndex is for the
// marker alone: if it is negative as an int32, the marker is not collected, or a scope needs the
// slow path.
const (
	MarkerOff   = 0 // u32, 0 or Off… bits
	MarkerIndex = 4 // u32, 0 or the marker's index in cells plus StackFirst, and Index… bits
	MarkerSize  = 8

	// MarkerPad is the number of unused markers before and after those of a table, so that the
	// pages with a table's markers have no other variables.
	MarkerPad = 512

	OffByState  = 1 << 0  // the state is not profiling
	OffByChoice = 1 << 1  // excluded by only, skip or a person
	OffByWindow = 1 << 2  // between two windows
	OffByLimit  = 1 << 3  // it has enough samples, or too many scopes
	OffByOuter  = 1 << 4  // a scope of it is open, and scopes inside that are not recorded
	OffDemoted  = 1 << 5  // its scopes are only counted, see demote=; code behind the gate runs marked
	OffSettled  = 1 << 31 // in addition to another bit: it has no open scopes

	IndexOff          = 1 << 31 // with each of the following
	IndexOffChoice    = 1 << 24
	IndexOffEnough    = 1 << 25
	IndexOffThrottled = 1 << 26
	IndexWatched      = 1 << 27 // a trigger has to see every scope
	IndexKept         = 1 << 28 // its gate is open in every state, for a watched marker
	IndexCounted      = 1 << 29 // one scope in N is timed
	IndexControl      = 1 << 30 // another process has begun to sample, see OffSampleN, or changed the state
	IndexMask         = 1<<24 - 1
)

// Offsets inside blocks, from the block's beginning.
const (
	OffTableNumber   = 16
	OffTableFirst    = 24
	OffTableMarkers  = 32
	OffTableCounters = 40
	OffTableLen      = 48
	OffTableSum      = 56
	OffTableText     = 64

	OffCountersTable = 16
	OffCountersLen   = 24
	OffCountersOff   = 32
	OffCountersTimed = 40 // number of words after the counters that count scopes of the table's demoted markers
	OffCountersData  = 64

	OffProfileLen  = 24
	OffProfileText = 32

	OffAliasFrom  = 16
	OffAliasTo    = 24
	OffAliasFirst = 32

	OffMarkersTable = 16
	OffMarkersLen   = 24
	OffMarkersData  = 32

	OffPairsMarker = 16
	OffPairsLen    = 24
	OffPairsData   = 64

	OffPathNode   = 16
	OffPathParent = 24
	OffPathMarker = 32
	OffPathLabel  = 40
	OffPathFlags  = 48

	PathRoot       = 1 // node number of no open scope; others are larger
	PathOtherLabel = 1 // number of the label "other"; others are larger
	PathStarts     = 1 << 0

	OffLabelNumber = 16
	OffLabelLen    = 24
	OffLabelText   = 32

	OffEdgeIndex  = 16
	OffEdgeCaller = 24
	OffEdgeMarker = 32

	OffSampleMarker = 16
	OffSampleSums   = 24
	OffSampleSince  = 88
	SampleSize      = 120

	OffBucketsMarker = 16
	OffBucketsFirst  = 24
	OffBucketsData   = 64

	OffStackLen  = 16
	OffStackRoom = 20
	OffStackData = 64

	OffSumsLen    = 16
	OffSumsBytes  = 24
	OffSumsHeader = 32
	OffSumsOwn    = 40
	OffSumsData   = 64
)

// An open scope in a BlockStack.
const (
	StackStart  = 0  // tick when it began
	StackMarker = 32 // u32: IndexMask of it minus StackFirst are the global index of its marker
	StackFirst  = 2
	StackSize   = 40 // size of a scope
)

// A ring. Record number n, from 0, has place n modulo the room. Of the written records, the ring
// has those whose numbers are at least RingDrained and greater than RingWritten less the room: the
// place of one older record may be about to be overwritten.
const (
	RingRoom    = 16  // capacity in records
	RingDrained = 24  // number of records drained, from the first; written by the process that drains them
	RingLost    = 32  // number of records lost because the ring was full while it was drained
	RingGap     = 40  // number of these after the latest record
	RingGapTick = 48  // tick of the first of these
	RingGapLast = 56  // tick of the last of these
	RingWritten = 64  // number of records written
	RingData    = 128 // the records

	TraceFirst = 16 // number of the first record
	TraceLen   = 24 // number of records
	TraceSum   = 32 // checksum of the words before
	TraceData  = 64 // the records, in the order of their numbers
)

// A trace record.
const (
	RecordTick      = 0 // when the marker was executed
	RecordGoroutine = 8 // ID of its goroutine; in RecordGap, the number of records missing
	// RecordMarker is a u32: the lower 24 bits minus StackFirst are the global index of the marker,
	// the upper 8 are Record….
	RecordMarker = 16
	// RecordLevel is a u32: the position of the scope among the open scopes of its goroutine, from
	// 1; 0 if it is not one of them.
	RecordLevel = 20
	// RecordCost has two parts. Lower 40 bits: the cost of the marker from the tick on, ticks/256,
	// or in RecordGap the ticks to the last missing record; all ones if it is more. Upper 24 bits:
	// the record's number.
	RecordCost = 24
	RecordSize = 32

	RecordKindShift = 24
	RecordCostBits  = 40
)

// Kinds of records, the upper 8 bits at RecordMarker.
const (
	RecordPoint = 1 // an execution without a duration
	RecordEnter = 2 // a scope begins
	RecordExit  = 3 // a scope ends
	RecordLeft  = 4 // a scope was left by a panic or runtime.Goexit some time before
	RecordTaken = 5 // no execution: time that a marker used for other work, such as at its first scope
	RecordGap   = 6 // records are missing here
	RecordStart = 7 // a stopwatch is started
	RecordStop  = 8 // a stopwatch is stopped, perhaps by another goroutine
)

// NoMarker is the global index of no marker.
const NoMarker = 1<<64 - 1

// The block of a cell. The count of a marker is CellPasses plus the counts of its buckets, added
// over all shards. Bucket k has the scopes with 2^k ≤ ns < 2^(k+1), bucket 0 also those of 0 ns.
// All ns are corrected for the cost of markers (OffScopeInside, OffScopeCost); ticks are uncorrected.
const (
	CellMarker = 16  // global marker index
	CellPasses = 24  // executions without a duration (points, count-only markers)
	CellSelf   = 32  // ns not spent in marked children
	CellTicks  = 40  // sum of durations in raw clock ticks
	CellMin    = 48  // shortest, ns; all ones if there is none
	CellMax    = 56  // longest, ns
	CellLast   = 64  // tick at the end of the latest scope
	CellNested = 72  // ns of scopes inside another scope of the same marker on their goroutine
	CellNoSelf = 80  // scopes whose children are unknown: all of their time is counted as self
	CellSeen   = 88  // scopes, where one in CellRate is timed; includes those in the buckets
	CellLeft   = 96  // not for readers: scopes until the next timed one or, with a seed, the number of scopes so far
	CellRate   = 104 // N; 0 if every scope is timed
	CellLatest = 112 // lower bound of the latest bucket, ns, and its address, like CellGroups
	CellGroups = 128 // addresses of the groups in the writing process, not for readers
	CellSize   = CellGroups + 8*NumBuckets/GroupBuckets
)

// A BlockPathCell.
const (
	PathCellNode   = 16 // number of the node
	PathCellCount  = 24 // scopes, and executions without a duration
	PathCellSum    = 32 // ns
	PathCellNested = 40 // part of it in scopes inside another scope of the same marker on their goroutine
	PathCellSelf   = 48 // ns not spent in marked children
	PathCellSize   = 64
)

// A BlockPathBuckets. Its buckets are those of a cell, with a count and a sum in ns each. They are paired
// so that the shortest scopes, of 8 to 31 ns, need one block.
const (
	PathBucketsNode   = 16 // number of the node u32
	PathBucketsFirst  = 20 // 1 + number of the first bucket, even u32; the first of those from 0 is not used
	PathBucketsNext   = 24 // address of another in the writing process, not for readers
	PathBucketsCounts = 32
	PathBucketsSize   = 64
)

// MarkersPrefix begins the names of functions that markers call, in the BlockProfile of a program: they
// are what markers cost.
const MarkersPrefix = "markgen/"

// Buckets are in groups, since most of a marker's durations are similar.
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

// TableVersion is the version of the text in BlockTable: one record a line, fields separated by
// tabs. Readers ignore lines of unknown kinds.
//
//	p IMPORTPATH
//	f FILE
//	m ID KIND FILEIDX LINE COL GATE|- FLAGS GROUP SAMPLE NAME
//	l BEFORE WITHIN ...
//	c ID KIND FILEIDX LINE COL NAME
//	b FILEIDX STARTLINE STARTCOL ENDLINE ENDCOL NUMSTMT
//
// A text that begins with the byte PackedText is packed. Its first SizePackedHead bytes are that
// byte and the length of the plain text, a u32 with the low byte first on every machine; the rest
// is DEFLATE data (RFC 1951). A plain text is at most MaxPacked times as long as the data. As
// stored, packed or not, a text has at least MinMarker bytes for each m and c line, and MinLine
// for each other line with a tab, which limits the memory that a reader needs for the names.
// PackedSampled replaces PackedText for a table in which the SAMPLE of a marker is not 1; such a
// table that is not packed begins with the line s.
const (
	TableVersion   = 1
	PackedText     = 0
	PackedSampled  = 1
	SizePackedHead = 5
	MaxPacked      = 16
	MinMarker      = 16
	MinLine        = 4
)

// Offsets in BlockReadings, which has the names of the values that collectors besides time read at
// both ends of each scope. There is at most one, before the first BlockRead. Its text has a line
// for each value, with the values of a collector together: the collector's name, a tab, the value's
// name.
const (
	OffReadingsCollectors = 16 // number of collectors
	OffReadingsValues     = 24 // number of values of all collectors
	OffReadingsLen        = 32 // bytes of text
	OffReadingsText       = 64

	MaxCollectors = 8  // in BlockReadings
	MaxValues     = 64 // of all collectors
)

// A BlockRead has the readings of one marker on one shard. At OffReadData are the Read… words of
// each collector, then the ReadValue… words of each value, both in the order of BlockReadings,
// whose numbers it repeats.
const (
	OffReadMarker     = 16 // global marker index, or ReadPath plus the number of a node
	OffReadCollectors = 24
	OffReadValues     = 32
	OffReadData       = 64

	ReadPath = 1 << 32

	ReadScopes  = 0 // scopes that were read at both ends
	ReadDropped = 8 // scopes that ended and were not read at both ends
	ReadSize    = 16

	ReadValueSum    = 0  // sum of the differences between the ends of scopes
	ReadValueSelf   = 8  // the same less the differences of the scopes directly inside
	ReadValueNested = 16 // part of the sum from scopes inside another of the same marker on their goroutine
	ReadValueSize   = 24
)

// These are followed by addresses in the writing process, not for readers.
