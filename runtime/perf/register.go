//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/internal/tabletext"
	"github.com/markgen/markgen/runtime/layout"
)

// On is false if the program was built with the tag markgen_off: then every function of this
// package is empty.
const On = true

// A Marker is the program's variable for one marker. Generated code has an array of them for each
// unit of a package and passes it to Register.
type Marker struct {
	// Off is 0 while the marker, or another behind the same gate, is collected or not decided yet.
	// Register sets it; generated code only tests it.
	Off   uint32
	index uint32
}

// A Counter counts executions without timing them, in overlay builds. P is nil while nothing is
// collected; Register sets it.
type Counter struct{ P *uint64 }

// A table is the argument of one call of Register, and its state.
type table struct {
	text      string
	markers   int
	first     uint32   // number of the first marker, from firstNumber
	of        *Marker  // the program's first marker
	n         int      // counters
	counted   *Counter // the program's first counter
	padded    bool     // MarkerPad unused markers precede and follow them
	inSource  bool     // it is in the source: after a merge its text may lack the line of a marker, or have too many
	tallies   *tallies // nil if it has none
	turnedOff bool     // its markers were turned off before there was a run

	// The fields below belong to the run.
	excluded  bool           // it takes no part: no memory, or no numbers for its markers
	shared    bool           // the markers are in the data file
	counters  unsafe.Pointer // nil if nothing is counted
	counting  []counting     // per counter, when it counts; nil if not known yet
	own       []*tallyUnit   // counters of single units on the stack, see tallies
	gates     []uint32       // per marker, the marker that its function's code tests; nil if not known yet
	chosen    []bool         // per marker, whether it is recorded with whole calls, see goesWith; nil if not known yet
	rates     []uint32       // per marker, N if one scope in N is timed, else 0; nil if all are 0
	sampledAt []*baseline    // per marker, when windows began to sample it; nil if none is sampled
}

// Markers have numbers in the order of registration, from firstNumber. A marker also gets an index
// at its first scope, in that order, so data kept by index needs room only for markers that were
// executed. BlockAlias maps an index to a number.
const firstNumber = 1 << 24

// Guarded by the lock, or by starting while nothing is collected.
var (
	tables     []table
	nextNumber uint32    = firstNumber
	live       []use     // by index less firstIndex
	early      []*Marker // markers that have an index and are not registered yet
)

// A use is what an index stands for.
type use struct {
	marker *Marker
	number uint32 // of the marker; 0 if it is not registered yet
	traced uint32 // scopes counted by countTraced
	first  uint64 // tick of the first scope
	open   uint64 // the latest findOpen that found a scope open
	call   firstCall
}

// indexed returns the use of an index, or nil if there is none. The caller holds the lock.
//
//go:norace
//go:noinline
func indexed(index uint32) *use {
	if k := index - firstIndex; k < uint32(len(live)) {
		return &live[k]
	}
	return nil
}

// nextIndex returns the next index to be assigned. The caller holds the lock.
//
//go:norace
func nextIndex() uint32 { return firstIndex + uint32(len(live)) }

// registering is how a table is registered.
type registering uint8

const (
	registeredPadded   registering = iota + 1 // with unused markers before and after its own
	registeredInSource                        // padded, and in the source
)

// Register publishes a unit's markers, and in overlay builds its counters, under the names in text
// (docs/reference/data-file.md has its format) and decides which of them are collected. It reports
// whether the process collects anything. Any goroutine may call it. Each unit calls it once, from the
// initialiser of a package variable.
func Register(markers *Marker, nm int, counters *Counter, nc int, text string) bool {
	return register(markers, nm, counters, nc, text, 0, nil)
}

// MarkerPad is the number of unused markers before and after those of a table in the source.
const MarkerPad = layout.MarkerPad

// RegisterTable is RegisterPadded for a table in the source, whose markers are those between before
// and after. If text does not have one line for each of them, which a merge can cause, no run
// includes the table.
//
//go:nocheckptr
func RegisterTable(before, after *Marker, text string) bool {
	first := unsafe.Add(unsafe.Pointer(before), layout.MarkerSize)
	n := int((uintptr(unsafe.Pointer(after)) - uintptr(first)) / layout.MarkerSize)
	return register((*Marker)(first), n, nil, 0, text, registeredInSource, nil)
}

//go:norace
func register(markers *Marker, nm int, counters *Counter, nc int, text string, as registering, tallies *tallies) bool {
	begin()
	if as == registeredInSource {
		markedInPlace, finishes = true, finishes || tabletext.IsLast(text)
	}
	if markers == nil || nm < 0 || nm > maxIndex {
		nm = 0
	}
	if !hasCounters || counters == nil || nc < 0 || nc > maxIndex {
		nc = 0
	}
	run := collects()
	for { // the lock exists once there was a run
		if run {
			lock()
		} else {
			starting.Lock()
		}
		if collects() == run {
			break
		}
		if run {
			unlock()
		} else {
			starting.Unlock()
		}
		run = !run
	}
	padded, inSource := as >= registeredPadded && nm > 0, as == registeredInSource
	tables = append(tables, table{})
	t := &tables[len(tables)-1]
	t.text, t.markers, t.of, t.n, t.counted = text, nm, markers, nc, counters
	t.padded, t.inSource, t.tallies = padded, inSource, tallies
	if !run { // the next run opens all tables
		t.turnOff(layout.OffByState)
		starting.Unlock()
		return false
	}
	ok := t.open(uint64(len(tables) - 1))
	unlock()
	checkNames(text)
	return ok
}

// collects reports whether the process has a run.
func collects() bool { return atomic.LoadUint32(&hot.mode) != modeInert }

// at returns marker i of the table.
//
//go:norace
//go:nocheckptr
func (t *table) at(i uint32) *Marker {
	return (*Marker)(unsafe.Add(unsafe.Pointer(t.of), uintptr(i)*layout.MarkerSize))
}

// turnOff turns all markers of the table off, with the bit why.
//
//go:norace
func (t *table) turnOff(why uint32) {
	t.turnedOff = true
	for i := range t.markers {
		t.at(uint32(i)).Off = why | layout.OffSettled
	}
}

// open publishes the table in the run under a number, or puts it on hold (tablewrite.go), and turns
// on the markers and counters that are collected. It returns false if there is no memory left. The
// caller holds the lock.
//
//go:norace
//go:nocheckptr
func (t *table) open(number uint64) bool {
	if t.first == 0 {
		t.first = nextNumber
		nextNumber += uint32(t.markers)
	}
	for _, own := range t.own { // functions that are running may have found it in the last run
		atomic.StoreUintptr(&own.unit, noUnit)
	}
	t.excluded, t.shared, t.counters, t.counting, t.own, t.gates, t.chosen, t.rates, t.sampledAt = false, false, nil, nil, nil, nil, nil, nil, nil
	if t.first+uint32(t.markers) > firstNumber+maxIndex {
		t.exclude()
	}
	if t.inSource && !t.excluded {
		if importPath, n := tabletext.Describe(t.text); n != t.markers {
			complain(importPath + ": markgen_table.go does not have one line for each marker, as after a merge; run markgen there, until then the package's markers are left out")
			t.exclude()
		}
	}
	if !holding {
		writeTables(int(number) + 1)
	}
	if t.excluded {
		return false
	}
	if words := t.counterWords(); words > 0 {
		size := layout.OffCountersData + 8*words
		bits := uintptr(0)
		if conf.chooses() {
			bits = 8 * ((uintptr(t.n) + 63) / 64)
		}
		if b := space.New(layout.BlockCounters, 0, size+bits); b != nil {
			*(*uint64)(unsafe.Add(b, layout.OffCountersTable)) = number
			*(*uint64)(unsafe.Add(b, layout.OffCountersLen)) = uint64(t.n)
			*(*uint64)(unsafe.Add(b, layout.OffCountersTimed)) = uint64(words) - uint64(t.n)
			t.counters = unsafe.Add(b, layout.OffCountersData)
			if bits > 0 {
				*(*uint64)(unsafe.Add(b, layout.OffCountersOff)) = uint64(size)
				t.chooseCounters()
			}
			space.Publish(b)
		}
	}
	if t.tallies != nil {
		t.tallies.open(number+1, t)
	}
	s := State()
	collecting := s == layout.StateProfiling || s == layout.StateConfigured && !conf.Waits
	t.countIf(collecting)
	t.choose(collecting)
	if conf.Waits || conf.chooses() || atomic.LoadUint32(&hot.mode) == modeOn { // else the first scope shares them
		t.sharePages(number)
	}
	if !collecting {
		t.follow(s)
		t.settleNew()
	}
	left := early[:0]
	for _, m := range early {
		if i, ok := t.indexOf(m); ok {
			t.number(m, i)
		} else {
			left = append(left, m)
		}
	}
	early = left
	return true
}

// counterWords returns the number of words for the table's counts: one for each counter and, if it
// has tallies and markers may be demoted, one for each marker.
//
//go:norace
func (t *table) counterWords() uintptr {
	if !hasCounters {
		return 0
	}
	if t.tallies != nil && conf.Demotes() {
		return uintptr(t.n) + uintptr(t.markers)
	}
	return uintptr(t.n)
}

// counterAt returns word i of the table's counts.
//
//go:norace
//go:nocheckptr
func (t *table) counterAt(i uintptr) *uint64 { return (*uint64)(unsafe.Add(t.counters, 8*i)) }

// countAt returns what rewritten code has added to word i of the table's counts; 0 if there is none.
//
//go:norace
func (t *table) countAt(i uintptr) (n uint64) {
	if !hasCounters || t.counters == nil || i >= t.counterWords() {
		return 0
	}
	n = atomic.LoadUint64(t.counterAt(i))
	for _, own := range t.own {
		n += atomic.LoadUint64(own.counter(i))
	}
	return n
}

// indexOf returns the marker's position in the table, if it is in the table.
//
//go:norace
func (t *table) indexOf(m *Marker) (i uint32, ok bool) {
	at := uintptr(unsafe.Pointer(m)) - uintptr(unsafe.Pointer(t.of))
	i = uint32(at / unsafe.Sizeof(*m))
	return i, t.of != nil && at/unsafe.Sizeof(*m) < uintptr(t.markers)
}

// findTable returns the table of a marker, nil if it is not registered yet, and the marker's
// position in it. The caller holds the lock.
//
//go:norace
//go:noinline
func findTable(m *Marker) (t *table, i uint32) {
	for k := len(tables) - 1; k >= 0; k-- {
		if i, ok := tables[k].indexOf(m); ok {
			return &tables[k], i
		}
	}
	return nil, 0
}

// number records the number of marker m, at position i of the table, which has an index. If the
// marker is not collected, what was recorded under the index is dropped.
//
//go:norace
func (t *table) number(m *Marker, i uint32) {
	w := shared.Load(&m.index)
	index := w & layout.IndexMask
	live[index-firstIndex].number = t.first + i
	if w&layout.IndexOffChoice != 0 {
		alias(index, layout.NoMarker)
		return
	}
	alias(index, uint64(t.first+i))
}

// alias records that what is collected under an index belongs to the marker with that number, or is
// to be dropped (NoMarker).
//
//go:norace
//go:nocheckptr
func alias(index uint32, number uint64) {
	if b := space.New(layout.BlockAlias, 0, layout.BlockAlign); b != nil {
		*(*uint64)(unsafe.Add(b, layout.OffAliasFrom)) = uint64(index - firstIndex)
		*(*uint64)(unsafe.Add(b, layout.OffAliasTo)) = number
		f := &live[index-firstIndex].call
		f.alias = b
		f.show()
		space.Publish(b)
	}
}

// A run begins with room for roomFor markers and roomOf stacks, so that their first scopes allocate
// nothing.
const roomFor, roomOf = 1024, 64

// newIndex assigns the next index. The caller holds the lock.
//
//go:norace
//go:noinline
func newIndex(u use) (index uint32) {
	live = append(live, u)
	return nextIndex() - 1
}

//go:norace
func (m *Marker) giveIndex() {
	index := newIndex(use{marker: m, first: now(), call: newFirstCall(m)})
	if t, i := findTable(m); t == nil {
		early = append(early, m)
	} else {
		live[index-firstIndex].number = t.first + i
		alias(index, uint64(t.first+i))
		if t.sampledAt != nil && t.sampledAt[i] != nil {
			beginSampling(index, *t.sampledAt[i])
			t.followCalls(i, index)
		}
	}
	shared.SetBits(&m.index, index) // last: other goroutines may see it at once
}
