package profile

import (
	"cmp"
	"strconv"
	"time"

	"github.com/markgen/markgen/registry"
)

// Profile is the data of one run, or of several added up by Merge.
type Profile struct {
	App       string    // base name of the program; names joined by ", " after a merge of several programs
	Run       string    // names the run: start and process ID, 20060102-150405.4711; "N runs" after a merge
	Runs      int       // number of runs added up
	Start     time.Time // start of the (first) run, UTC
	ElapsedNS uint64    // time from the start of the run to its end, or to its last record; after a merge the sum
	Clock     Clock
	GOOS      string
	GOARCH    string
	Go        string    // Go version the program was built with
	CPU       string    // model of the processor, as it names itself; "" where that is not known, "mixed" of several
	Main      string    // import path of the main package; "" where that is not known; paths joined by ", " after a merge of several programs
	Version   string    // of the main module: v1.2.3, or the revision it was built from; "" where that is not known, "mixed" of several
	State     string    // state of collection when the run ended or was read: "profiling", "paused", "stopped" …
	Complete  bool      // every run ended in order and nothing of its data is missing
	Alive     bool      // a process was still running when its file was read
	NoSelf    bool      // self times were not measured (in at least one run)
	Lost      uint64    // scopes that could not be recorded
	Sampling  *Sampling // how windows of time were chosen; nil if there were none
	Changes   []Change  // of the state, in order; nil after a merge
	Unlogged  uint64    // later changes, for which the file had no room; 0 after a merge
	Cost      *Cost     // what the runs took of the processors; nil: of no run is that known
	Wild      *Wild     // what was picked at random to collect at; nil if everything was collected
	Trace     *Traced   // nil: no trace was recorded
	Pairs     *Pairs    // which markers were open at once; nil: that was not recorded
	Untimed   bool      // nothing was counted or timed, but traced (in at least one run)

	Markers []Marker // in the order of CompareMarkers: by name, then ID; each ID once
	Blocks  []Block  // sorted by file, then position; each once
	Hidden  int      // markers that Only has left out

	HiddenSelfNS uint64 // self time of these

	// Warnings say, to people, what is unusual about the data, each with the
	// file it is about. Damaged is set when one of them is about data that
	// could not be read.
	// After a merge these are the first mostWarnings, and MoreWarnings tells whether
	// there were more.
	Warnings     []string
	MoreWarnings bool
	Damaged      bool

	Newest int64 // start of the newest run in it, whose clock and Go version these are, ns since 1970
}

// Marker is what was measured at one marker.
type Marker struct {
	ID   registry.ID
	Name string

	// Package is the import path of its package, with which, and a dot, Name begins; "" of
	// a stopwatch, which is in none.
	Package string

	// Guess says that it is only a guess that it is what the marker of that ID was in the version
	// that the program was built to be compared with.
	Guess bool

	Kind   string // "func", "loop", "branch", "block", "region" or "point"
	File   string // relative to the module root, slash separated
	Line   int    // 0: not known, as of a marker in the source; see docs/in-place.md
	Col    int    // in bytes, from 1
	Group  string // group= of the directive, "" if none
	Sample uint64 // 1:N of the passages were recorded, the N; 0 or 1: every one

	// Samples is the number of passages that were recorded as a sample of others, where not all were. Then
	// count, times and buckets are estimates of what they all took; see CountSE, MeanSE, Taken.
	Samples uint64

	// Off says why passages after some moment, or all, were not collected: "choice",
	// "enough", "throttled"; "" where they were. Demoted: they were counted, and not timed.
	Off string

	// CountOnly markers have no times: points, and markers with the key count.
	CountOnly bool

	Runs     uint64   // in how many runs it was passed; one is counted with its first part where its figures are taken bit by bit (Sub)
	Count    uint64   // passages: those without a time and those in the buckets
	Open     uint64   // scopes that had not ended when the run did; not among Count
	NestedNS uint64   // of the buckets' sum, what was spent in scopes inside another of this marker (recursion)
	SelfNS   uint64   // total without what was spent in scopes opened within
	MinNS    uint64   // 0 when Count is 0
	MaxNS    uint64   // 0 when Count is 0
	Ticks    uint64   // sum of the times as the clock gave them
	Buckets  []Bucket // those with a count, by K

	// Callers are the figures by caller, in the order of their names: of all passages
	// if callers were asked for, else of those under callers that make a difference,
	// from when on that was known. nil: there are none.
	Callers []Caller

	// CountSE and MeanSE follow from these. All are 0 where all passages were recorded.
	Seen     uint64  // passages that Samples stand for
	CountVar Uint128 // square of the standard error of Count, in 1024ths
	SumVar   Uint128 // square of that of the sum of the times, ns², in 1024ths
	Unsure   bool    // there were too few samples to tell; of a sum, in one of its parts

	First    Firsts       // the first passage in each process, where it is known
	Sizes    []SizeBucket // of passages whose input had a size, by that; none but with size=
	Picks    *Picks       // in which runs it was picked at random; nil: in none
	Notes    []string     // what is to be known of how the figures were made, for people; sorted
	Readings []Reading    // what collectors besides time read, by their names; none if nothing was

	AsOf int64 // start of the newest run that had it, which gave name and place, ns since 1970; 0: not known
}

// Only is the profile with no markers but those of the names that means says are meant: for showing, not for adding up.
// It shares all it has with p.
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
	return &some
}

// Block is a basic block whose passages were counted for a coverage profile.
type Block struct {
	File      string // import path and base name, as in a coverage profile of the go command
	StartLine int
	StartCol  int // in bytes, from 1
	EndLine   int
	EndCol    int // in bytes, from 1, past the end
	NumStmt   int // statements in it
	Count     uint64
}

// compareBlocks orders blocks by file and position.
func compareBlocks(a, b Block) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.StartLine, b.StartLine),
		cmp.Compare(a.StartCol, b.StartCol),
		cmp.Compare(a.EndLine, b.EndLine),
		cmp.Compare(a.EndCol, b.EndCol),
		cmp.Compare(a.NumStmt, b.NumStmt),
	)
}

// Build names what was built: the main package, "@" and the version. Where the package is not known the program's
// name stands for it.
func (p *Profile) Build() string {
	main := p.Main
	if main == "" {
		main = p.App
	}
	return main + "@" + p.Version
}

// Place is a file and a line as they are shown. Line 0 is one that is not known: of a marker in the
// source, see docs/in-place.md.
func Place(file string, line int) string {
	if line == 0 {
		return file
	}
	return file + ":" + strconv.Itoa(line)
}

// A Change is one of the state of a run.
type Change struct {
	AtNS     uint64 // from the start of the run
	From, To string
	Cause    string      // "begin", "program", "event", "timer", "outside" or "end"
	Marker   registry.ID // whose passage it was, for an event; 0: of none
}
