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
	first    uint32 // Marker.index of the first
	counters unsafe.Pointer
	n        int
	of       *Counter         // the program's side of the first
	own      []unsafe.Pointer // counters of single units of stack, see Tallies
}

// Guarded by the lock.
var (
	tables    []table
	nextIndex uint32 = firstIndex
	// aliases pairs indexes given to markers that were entered before their
	// table was registered with those of the table, 0 for not collected.
	aliases [][2]uint32
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
	first := nextIndex
	head := tableHead{
		OffTableNumber / 8:   number,
		OffTableFirst / 8:    uint64(first - firstIndex),
		OffTableMarkers / 8:  uint64(len(ms)),
		OffTableCounters / 8: uint64(len(cs)),
		OffTableLen / 8:      uint64(len(text)),
	}
	if first+uint32(len(ms)) > maxIndex || !publishTable(&head, text) {
		for i := range ms {
			ms[i].index = notCollected
			ms[i].Off = 1
		}
		return false
	}
	nextIndex += uint32(len(ms))
	t := table{text: text, markers: len(ms), first: first, n: len(cs), of: unsafe.SliceData(cs)}

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

// decideMarkers gives each marker its index or notCollected, and opens the gates
// of those that are collected. A gate may stand after those behind it.
//
//go:norace
//go:nocheckptr
func decideMarkers(ms []Marker, t *table) {
	if conf.only == "" && conf.skip == "" {
		for i := range ms {
			ms[i].decided(t.first+uint32(i), 0)
		}
		return
	}
	off := make([]uint32, len(ms))
	index := make([]uint32, len(ms))
	for i := range ms {
		off[i], index[i] = 1, notCollected
	}
	i := 0
	for rest := unpack(t.text); rest != "" && i < len(ms); {
		var line string
		line, rest = cut(rest, '\n')
		if kindOf(line) != 'm' {
			continue
		}
		if conf.wants(field(line, markerName, markerName)) {
			off[i], index[i] = 0, t.first+uint32(i)
			if g, ok := parseUint(field(line, markerGate, markerName)); ok && g < uint64(len(off)) {
				off[g] = 0
			}
		}
		i++
	}
	for i := range ms {
		ms[i].decided(index[i], off[i])
	}
}

// decided sets what Register has found out about the marker.
//
//go:norace
//go:nocheckptr
func (m *Marker) decided(index, off uint32) {
	m.Off = off // before anything is read: the first access then makes the page ours at once
	if early := m.index; early != 0 && early != notCollected {
		alias(early, index)
	}
	m.index = index
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

// alias records that what was collected under the index early belongs to index.
//
//go:norace
//go:nocheckptr
func alias(early, index uint32) {
	to := uint64(NoMarker)
	if index == notCollected {
		index = 0
	} else {
		to = uint64(index - firstIndex)
	}
	aliases = append(aliases, [2]uint32{early, index})
	if b := newBlock(BlockAlias, 0, BlockAlign); b != nil {
		*(*uint64)(unsafe.Add(b, OffAliasFrom)) = uint64(early - firstIndex)
		*(*uint64)(unsafe.Add(b, OffAliasTo)) = to
		publish(b)
	}
}

// decide is for Enter and Pass when the marker or the process is in any but the
// usual state: it gives the index to record under, 0 for none. A marker that is
// entered before its table is registered gets an index at once.
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
			m.index = nextIndex
			nextIndex++
		}
		unlock()
	}
	if i := m.index; int32(i) > 0 {
		return i
	}
	return 0
}
