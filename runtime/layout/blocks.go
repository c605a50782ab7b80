package layout

// What is in the blocks of a data file whose kinds layout.go lists.

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
	OffDemoted  = 1 << 5  // its scopes are counted and not timed, see demote=; the code behind the gate runs marked all the same
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

// DemotedTrim is the part of a demoted marker's timed scopes that the mean leaves out: the longest
// one in so many, and readers one more.
const DemotedTrim = 1000

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
	OffCountersTimed = 40 // how many words follow the counters that count scopes of the table's demoted markers
	OffCountersData  = 64

	OffParentsMarker = 16 // global index of the marker
	OffParentsData   = 24 // room for MostParents; those with a count are there
	MostParents      = 6
	ParentMarker     = 0 // global index of the marker of the scope around; NoMarker: none was open
	ParentCount      = 8 // of how many scopes that was so
	ParentSize       = 16

	OffDemotedMarker = 16 // global index of the marker
	OffDemotedSelf   = 24 // ns
	OffDemotedData   = 32 // of NumBuckets buckets
	DemotedCount     = 0
	DemotedSum       = 8 // ns
	DemotedSize      = 16

	OffAliasFrom  = 16
	OffAliasTo    = 24
	OffAliasFirst = 32

	OffMarkersTable = 16
	OffMarkersLen   = 24
	OffMarkersData  = 32

	OffPairsMarker = 16
	OffPairsLen    = 24
	OffPairsData   = 64

	OffEdgeIndex  = 16
	OffEdgeCaller = 24
	OffEdgeMarker = 32

	OffTickTable = 16
	OffTickCount = 32
	OffTickSince = 64
	TickSize     = 96

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
	TraceSum   = 32 // checksum of the words before
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
	RecordStart = 7 // a stopwatch is started
	RecordStop  = 8 // a stopwatch is stopped, perhaps by another goroutine
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
	CellLatest = 112 // where the latest bucket begins, ns, and its address, as CellGroups
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
// A text that begins with the byte PackedText is packed. SizePackedHead bytes of it are that byte
// and the length of the plain text, a u32 with the low byte first on every machine; the rest is
// DEFLATE data (RFC 1951). A plain text is at most MostPacked times as long as the data. However it
// is stored, a text has LeastMarker bytes for each m and c line, and LeastLine for each other with
// a tab: what it names takes a reader that many times as much memory. PackedSampled is PackedText
// for a table in which the SAMPLE of a marker is not 1; one that is not packed begins with the line
// s then.
const (
	TableVersion   = 1
	PackedText     = 0
	PackedSampled  = 1
	SizePackedHead = 5
	MostPacked     = 16
	LeastMarker    = 16
	LeastLine      = 4
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
