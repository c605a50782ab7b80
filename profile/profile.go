package profile

import (
	"cmp"
	"strconv"
	"time"

	"github.com/markgen/markgen/registry"
)

// Profile is the data of one run, or the sum of several runs (see Merge).
type Profile struct {
	App       string    // base name of the program; names joined by ", " after a merge of several programs
	Run       string    // ID of the run: start and process ID, 20060102-150405.4711; "N runs" after a merge
	Runs      int       // number of runs added up
	Start     time.Time // start of the (first) run, UTC
	ElapsedNS uint64    // from the start of the run to its end, or to its last record; after a merge the sum
	Clock     Clock
	GOOS      string
	GOARCH    string
	Go        string    // Go version the program was built with
	CPU       string    // processor model; "" if unknown, "mixed" after a merge of several
	Main      string    // import path of the main package; "" if unknown; joined by ", " after a merge
	Version   string    // version or VCS revision of the main module; "" if unknown, "mixed" after a merge
	State     string    // state of collection when the run ended or was read: "profiling", "paused", "stopped" …
	Complete  bool      // true if every run ended normally and no data are missing
	Alive     bool      // true if a process was still running when its file was read
	NoSelf    bool      // true if self times were not measured in at least one run
	Lost      uint64    // scopes that could not be recorded
	Sampling  *Sampling // sampling windows; nil if there were none
	Changes   []Change  // changes of state, in order; nil after a merge
	Unlogged  uint64    // changes for which the file had no room; 0 after a merge
	Cost      *Cost     // processor time; nil if unknown for all runs
	BudgetPPM uint64    // part of the program's processor time that markers might take, ppm; 0 if not limited; the largest of several runs
	Wild      *Wild     // random picks; nil if all functions were collected
	Trace     *Traced   // nil if no trace was recorded
	Pairs     *Pairs    // pairs of markers open at the same time; nil if not recorded
	Paths     *Paths    // figures by chain of open scopes; nil if not recorded
	Untimed   bool      // true if at least one run recorded a trace only, without counts and times

	Markers []Marker // sorted by CompareMarkers, without duplicate IDs
	Blocks  []Block  // sorted by file and position, without duplicates
	Hidden  int      // number of markers removed by Only

	HiddenSelfNS uint64 // self time of the removed markers

	// Warnings describe problems with the data, for people; each names its file. Damaged is set if
	// one of them is about data that could not be read. After a merge only the first maxWarnings
	// are kept, and MoreWarnings says whether there were more.
	Warnings     []string
	MoreWarnings bool
	Damaged      bool

	Newest int64 // start of the newest run, whose clock and Go version these are, ns since 1970
}

// Marker has the data measured at one marker.
type Marker struct {
	ID   registry.ID
	Name string

	// Package is the import path of its package, a prefix of Name followed by a dot; "" for a
	// stopwatch, which has no package.
	Package string

	// Guess says that the marker's correspondence to the marker with the same ID in the compared
	// version of the program is only a guess.
	Guess bool

	Kind   string // "func", "loop", "branch", "block", "region" or "point"
	File   string // relative to the module root, slash separated
	Line   int    // 0 if unknown, as for markers written in the source; see docs/howto/keep-markers-in-the-source.md
	Col    int    // in bytes, from 1
	Group  string // group= of the directive; "" if there is none
	Sample uint64 // N if 1:N of the calls were recorded; 0 or 1 if all were

	// Samples is the number of calls recorded as a sample; 0 if all calls were recorded. Then
	// count, times and buckets are estimates for all calls; see CountSE, MeanSE and Measured.
	Samples uint64

	// Off is the reason why calls were not collected, or not from some time on: "choice", "enough",
	// "throttled", or "" if they were. Demoted means that they were counted but not timed.
	Off string

	// Levels is for how long a budget had the marker timed, counted and off.
	Levels Levels

	// CountOnly says that the marker has no times: a point, or a marker with the key count.
	CountOnly bool

	// FollowsCall says that the marker is on if its function was when it was called, so that it has
	// no test of its own.
	FollowsCall bool

	Runs     uint64   // number of runs with calls; differences of one run (Sub) have 1 in the first part only
	Count    uint64   // calls, with and without a time
	Open     uint64   // scopes that had not ended when the run did; not included in Count
	NestedNS uint64   // part of the sum spent in scopes inside another scope of this marker (recursion)
	SelfNS   uint64   // total without time spent in scopes opened inside
	MinNS    uint64   // 0 if no call was timed
	MaxNS    uint64   // 0 if no call was timed
	Ticks    uint64   // sum of the times as measured, in ticks
	Buckets  []Bucket // nonempty buckets, sorted by K

	// Callers has the data by caller, sorted by name. It covers all calls if callers were
	// requested; otherwise only calls under callers that make a difference, from when that was
	// detected. nil if there are none.
	Callers []Caller

	// Basis of CountSE and MeanSE; all are 0 if all calls were recorded.
	Seen     uint64  // number of calls that Samples stand for
	CountVar Uint128 // variance of Count, in 1024ths
	SumVar   Uint128 // variance of the sum of the times, ns², in 1024ths
	Unsure   bool    // too few samples for the variance, in a part of a sum at least

	First    Firsts       // first call in each process, if known
	Sizes    []SizeBucket // calls by input size; empty without size=
	Picks    *Picks       // runs that picked it at random; nil if none did
	Notes    []string     // remarks on how the data were obtained, for people; sorted
	Readings []Reading    // readings of collectors other than time, sorted by name

	AsOf int64 // start of the newest run, which gave name and place, ns since 1970; 0 if unknown
}

// Only returns the profile with only the markers whose names means accepts. It shares memory with p
// and is for display, not for merging.
func (p *Profile) Only(means func(name string) bool) *Profile {
	some := *p
	some.Markers = nil
	for i := range p.Markers {
		if means(p.Markers[i].Name) {
			some.Markers = append(some.Markers, p.Markers[i])
		} else {
			some.HiddenSelfNS += p.Markers[i].SelfNS
		}
	}
	some.Hidden += len(p.Markers) - len(some.Markers)
	if some.Hidden > 0 && p.Paths != nil {
		some.Paths = p.Paths.only(some.Markers)
	}
	return &some
}

// Block is a basic block whose executions were counted for a coverage profile.
type Block struct {
	File      string // import path and base name, as in a coverage profile of the go command
	StartLine int
	StartCol  int // in bytes, from 1
	EndLine   int
	EndCol    int // in bytes, from 1, exclusive
	NumStmt   int // number of statements
	Count     uint64
}

// CompareBlocks orders blocks by file and position.
func CompareBlocks(a, b Block) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.StartLine, b.StartLine),
		cmp.Compare(a.StartCol, b.StartCol),
		cmp.Compare(a.EndLine, b.EndLine),
		cmp.Compare(a.EndCol, b.EndCol),
		cmp.Compare(a.NumStmt, b.NumStmt),
	)
}

// Build returns the main package, "@" and the version. If the package is unknown, the program's
// name replaces it.
func (p *Profile) Build() string {
	main := p.Main
	if main == "" {
		main = p.App
	}
	return main + "@" + p.Version
}

// Place formats file and line for display. Line 0 means unknown, as for markers written in the
// source; see docs/howto/keep-markers-in-the-source.md.
func Place(file string, line int) string {
	if line == 0 {
		return file
	}
	return file + ":" + strconv.Itoa(line)
}

// A Change is a change of a run's state or, with CauseBudget, of a marker's level.
type Change struct {
	AtNS     uint64 // from the start of the run
	From, To string
	Cause    string      // "begin", "program", "event", "timer", "outside", "end" or "budget"
	Marker   registry.ID // marker whose call was the event, or whose level changed; 0 if there is none
}
