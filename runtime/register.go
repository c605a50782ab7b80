//go:build !markgen_off

package runtime

import (
	"sync/atomic"
	"unsafe"
)

// On is false when the program was built with the tag markgen_off: then every
// function of this package is empty.
const On = true

// A Marker is the program's side of one marker. Generated code holds an array
// of them for each unit of a package and passes it to Register.
type Marker struct {
	// Off is 0 while it is undecided whether the marker, or another behind the
	// same gate, is collected, and when one is. Register sets it; generated
	// code only tests it.
	Off   uint32
	index uint32
}

// A Counter counts passages without timing them. P is nil while nothing is
// collected; Register sets it.
type Counter struct{ P *uint64 }

// A table is what one Register call brought.
type table struct {
	text     string
	markers  int
	first    uint32  // number of the first marker, from firstNumber
	of       *Marker // the program's side of the first marker
	counters unsafe.Pointer
	n        int
	counted  *Counter         // the program's side of the first counter
	own      []unsafe.Pointer // counters of single units of stack, see Tallies
}

// Markers have numbers in the order in which they are registered, from
// firstNumber, and those that are passed have an index, in the order in which they
// are passed first: what is kept by index has room for those only. BlockAlias says
// which index has which number.
const firstNumber = 1 << 24

// Guarded by the lock.
var (
	tables     []table
	nextNumber uint32    = firstNumber
	nextIndex  uint32    = firstIndex
	numbers    []uint32  // by index less firstIndex: the marker's number, 0 if it is not registered yet or not collected
	early      []*Marker // have an index and are not registered yet
)

// Register publishes a unit's markers and counters under the names in text
// (docs/data-file.md tells its form) and decides which of them are collected.
// It reports whether the process collects anything. Any goroutine may call it,
// each unit does so once, from the initialiser of a package variable.
//
//go:norace
//go:nocheckptr
func Register(markers *Marker, nm int, counters *Counter, nc int, text string) bool {
	begin()
	if markers == nil || nm < 0 || nm > maxIndex {
		nm = 0
	}
	if counters == nil || nc < 0 || nc > maxIndex {
		nc = 0
	}
	ms, cs := unsafe.Slice(markers, nm), unsafe.Slice(counters, nc)
	if header == nil {
		for i := range ms {
			ms[i].index = notCollected
			ms[i].Off = 1
		}
		return false
	}
	lock()
	ok := register(ms, cs, text)
	unlock()
	return ok
}

//go:norace
//go:nocheckptr
func register(ms []Marker, cs []Counter, text string) bool {
	number := uint64(len(tables))
	first := nextNumber
	head := tableHead{
		OffTableNumber / 8:   number,
		OffTableFirst / 8:    uint64(first),
		OffTableMarkers / 8:  uint64(len(ms)),
		OffTableCounters / 8: uint64(len(cs)),
		OffTableLen / 8:      uint64(len(text)),
	}
	if first+uint32(len(ms)) > firstNumber+maxIndex || !publishTable(&head, text) {
		for i := range ms {
			ms[i].index = notCollected
			ms[i].Off = 1
		}
		return false
	}
	nextNumber += uint32(len(ms))
	t := table{text: text, markers: len(ms), first: first, of: unsafe.SliceData(ms), n: len(cs), counted: unsafe.SliceData(cs)}

	if len(cs) > 0 {
		if b := newBlock(BlockCounters, 0, OffCountersData+8*uintptr(len(cs))); b != nil {
			*(*uint64)(unsafe.Add(b, OffCountersTable)) = number
			*(*uint64)(unsafe.Add(b, OffCountersLen)) = uint64(len(cs))
			publish(b)
			t.counters = unsafe.Add(b, OffCountersData)
		}
	}
	tables = append(tables, t)
	decideCounters(cs, &t)
	decideMarkers(ms, &t)
	return true
}

// decideCounters lets count what is wanted: cover blocks have no names and are
// always.
//
//go:norace
//go:nocheckptr
func decideCounters(cs []Counter, t *table) {
	if t.counters == nil {
		return
	}
	for i := range cs {
		cs[i].P = (*uint64)(unsafe.Add(t.counters, 8*uintptr(i)))
	}
	if conf.only == "" && conf.skip == "" {
		return
	}
	i := 0
	for rest := unpack(t.text); rest != "" && i < len(cs); {
		var line string
		line, rest = cut(rest, '\n')
		switch kindOf(line) {
		case 'c':
			if !conf.wants(field(line, counterName, counterName)) {
				cs[i].P = nil
			}
			i++
		case 'b':
			i++
		}
	}
}

// decideMarkers turns off the markers that are not collected, and opens the gates
// of those that are. A gate may stand after those behind it. Where all are
// collected, as they are to begin with, the markers are not touched.
//
//go:norace
//go:nocheckptr
func decideMarkers(ms []Marker, t *table) {
	if conf.only != "" || conf.skip != "" {
		off := make([]uint32, len(ms))
		wanted := make([]bool, len(ms))
		for i := range ms {
			off[i] = 1
		}
		i := 0
		for rest := unpack(t.text); rest != "" && i < len(ms); {
			var line string
			line, rest = cut(rest, '\n')
			if kindOf(line) != 'm' {
				continue
			}
			if conf.wants(field(line, markerName, markerName)) {
				off[i], wanted[i] = 0, true
				if g, ok := parseUint(field(line, markerGate, markerName)); ok && g < uint64(len(off)) {
					off[g] = 0
				}
			}
			i++
		}
		for i := range ms {
			ms[i].Off = off[i]
			if ms[i].index == 0 && !wanted[i] {
				ms[i].index = notCollected
			}
		}
		for _, m := range early {
			if i, ok := t.place(m); ok && !wanted[i] {
				alias(m.index, NoMarker)
				m.index = notCollected
			}
		}
	}
	left := early[:0]
	for _, m := range early {
		i, ok := t.place(m)
		switch {
		case !ok:
			left = append(left, m)
		case m.index != notCollected:
			t.named(m, i)
		}
	}
	early = left
}

// place is where the marker is in the table, if it is there.
//
//go:norace
func (t *table) place(m *Marker) (i uint32, ok bool) {
	at := uintptr(unsafe.Pointer(m)) - uintptr(unsafe.Pointer(t.of))
	i = uint32(at / unsafe.Sizeof(*m))
	return i, t.of != nil && at/unsafe.Sizeof(*m) < uintptr(t.markers)
}

// named gives a marker that has an index its number, that of place i.
//
//go:norace
func (t *table) named(m *Marker, i uint32) {
	numbers[m.index-firstIndex] = t.first + i
	alias(m.index, uint64(t.first+i))
}

// Fields of the lines of a table.
const (
	markerKind  = 2
	markerGate  = 6
	markerFlags = 7
	markerName  = 10
	counterName = 6
)

// kindOf gives the kind of a table's line, 0 when it is none.
func kindOf(line string) byte {
	if len(line) > 1 && line[1] == '\t' {
		return line[0]
	}
	return 0
}

// alias records that what is collected under an index belongs to the marker of
// that number, or is to be dropped (NoMarker).
//
//go:norace
//go:nocheckptr
func alias(index uint32, number uint64) {
	if b := newBlock(BlockAlias, 0, BlockAlign); b != nil {
		*(*uint64)(unsafe.Add(b, OffAliasFrom)) = uint64(index - firstIndex)
		*(*uint64)(unsafe.Add(b, OffAliasTo)) = number
		publish(b)
	}
}

// decide is for Enter and Pass when the marker or the process is in any but the
// usual state: it gives the index to record under, 0 for none. A marker gets its
// index when it is entered first, also if its table is yet to be registered.
//
//go:norace
//go:noinline
func decide(m *Marker) uint32 {
	begin()
	ready()
	if atomic.LoadUint32(&hot.mode) != modeOn {
		return 0
	}
	if m.index == 0 {
		lock()
		if m.index == 0 && nextIndex < maxIndex {
			m.giveIndex()
		}
		unlock()
	}
	if i := m.index; int32(i) > 0 {
		return i
	}
	return 0
}

//go:norace
func (m *Marker) giveIndex() {
	numbers = append(numbers, 0)
	index := nextIndex
	nextIndex++
	defer func() { m.index = index }() // last: others may see it at once
	for k := len(tables) - 1; k >= 0; k-- {
		t := &tables[k]
		if i, ok := t.place(m); ok {
			numbers[index-firstIndex] = t.first + i
			alias(index, uint64(t.first+i))
			return
		}
	}
	early = append(early, m)
}
