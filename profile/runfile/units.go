package runfile

import (
	"io"
	"strconv"
	"strings"

	"github.com/markgen/markgen/profile/table"
	"github.com/markgen/markgen/runtime/layout"
)

// Units are the units registered by a running program, and the offsets of the words that turn their
// markers on and off. Package steer reads them with Follow as the data file grows. The zero value
// has read nothing.
type Units struct {
	List   []*Unit // in file order
	Log    uint64  // offset of the block that logs state changes; 0 if there is none
	Stacks []Stack // open scopes of goroutines

	// Aliases map the number of a cell, or of an open scope, to the number of its marker.
	Aliases map[uint64]uint64

	broken   error              // permanent error in the chain of blocks
	next     uint64             // offset of the first unread block
	byNumber map[uint64]*Unit   // the units in List, by number
	early    map[uint64]wordsAt // words whose table was not read yet, by table number
}

// Unit is one unit, published by one call of Register.
type Unit struct {
	Number   uint64
	First    uint64       // number of Markers[0]; the others follow consecutively
	Path     string       // import path; "-" for stopwatches, which have no package
	Markers  []UnitMarker // markers with words of their own (m lines), in table order
	Counters []string     // names of counters that are markers (c lines)

	// Words is the file offset of the words of Markers[0], followed by the words of the other
	// markers; 0 if they are not in the file.
	Words uint64
}

// UnitMarker is a marker with words of its own.
type UnitMarker struct {
	Name string // "" if its line can't be parsed
	Gate int    // index in Markers of the marker whose word the code tests first
}

// Stack is a block with the open scopes of a goroutine.
type Stack struct{ Offset, Size uint64 }

// wordsAt is a block of words: n markers from offset on.
type wordsAt struct{ offset, n uint64 }

// Follow reads the blocks that were added since the last call, up to the bytes in use according to
// the header of the file, of size bytes at r. It skips damaged blocks, which Read reports; it
// returns an error only for the header or the chain of blocks.
func (u *Units) Follow(r io.ReaderAt, size int64, name string) error {
	if u.broken != nil {
		return u.broken
	}
	in := &input{r: r, name: name, size: uint64(max(size, 0))}
	h, err := in.readHeader()
	if err != nil {
		return err
	}
	end := min(h.word(layout.OffUsed), in.size)
	from := max(u.next, layout.HeaderSize)
	if end <= from {
		return nil
	}
	if u.byNumber == nil {
		u.byNumber, u.early, u.Aliases = map[uint64]*Unit{}, map[uint64]wordsAt{}, map[uint64]uint64{}
	}
	u.next = end
	u.broken = in.blocksFrom(from, end, func(b block) {
		switch b.kind {
		case layout.BlockTable:
			u.table(in, b)
		case layout.BlockMarkers:
			u.words(in, b)
		case layout.BlockAlias:
			if data, err := in.content(b, layout.OffAliasTo+8); err == nil {
				u.Aliases[in.order.Uint64(data[layout.OffAliasFrom:])] = in.order.Uint64(data[layout.OffAliasTo:])
			}
		case layout.BlockLog:
			if u.Log == 0 && b.offset%8 == 0 && b.size >= layout.OffLogData+layout.LogRoom*layout.LogSize {
				u.Log = b.offset
			}
		case layout.BlockStack:
			u.Stacks = append(u.Stacks, Stack{b.offset, b.size})
		}
	})
	return u.broken
}

func (u *Units) table(in *input, b block) {
	text, number, err := in.tableText(b)
	if err != nil || u.byNumber[number] != nil {
		return
	}
	plain, err := table.Unpack(text)
	if err != nil {
		return
	}
	head, err := in.content(b, layout.OffTableText)
	if err != nil {
		return
	}
	unit := &Unit{Number: number, First: in.order.Uint64(head[layout.OffTableFirst:])}
	for line := range strings.Lines(plain) {
		switch kind, rest, _ := strings.Cut(line, "\t"); kind {
		case "p":
			unit.Path = strings.TrimSuffix(rest, "\n")
		case "m":
			unit.Markers = append(unit.Markers, parseUnitMarker(strings.TrimSuffix(line, "\n")))
		case "c":
			if f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 7); len(f) == 7 {
				unit.Counters = append(unit.Counters, f[6])
			}
		}
	}
	for i := range unit.Markers { // "-", and a gate out of range: the marker is its own gate
		if g := unit.Markers[i].Gate; g < 0 || g >= len(unit.Markers) {
			unit.Markers[i].Gate = i
		}
	}
	u.byNumber[number] = unit
	u.List = append(u.List, unit)
	if at, ok := u.early[number]; ok {
		unit.place(at)
	}
}

// parseUnitMarker parses the fields of an m line that steering needs.
func parseUnitMarker(line string) UnitMarker {
	m := UnitMarker{Gate: -1}
	f := strings.SplitN(line, "\t", 11)
	if len(f) == 11 {
		m.Name = f[10]
		if gate, err := strconv.ParseUint(f[6], 10, 31); err == nil {
			m.Gate = int(gate)
		}
	}
	return m
}

// words records where the words of a table are, if all of them lie in the block.
func (u *Units) words(in *input, b block) {
	head, err := in.content(b, layout.OffMarkersData+8)
	if err != nil {
		return
	}
	number := in.order.Uint64(head[layout.OffMarkersTable:])
	n := in.order.Uint64(head[layout.OffMarkersLen:])
	start := in.order.Uint64(head[layout.OffMarkersData:])
	if start < layout.OffMarkersData+8 || start > b.size || start%layout.MarkerSize != 0 || n > (b.size-start)/layout.MarkerSize {
		return
	}
	at := wordsAt{b.offset + start, n}
	if unit := u.byNumber[number]; unit != nil {
		unit.place(at)
	} else {
		u.early[number] = at
	}
}

// place sets the position of the unit's words, unless their number differs from the number of
// markers.
func (u *Unit) place(at wordsAt) {
	if u.Words == 0 && at.n == uint64(len(u.Markers)) {
		u.Words = at.offset
	}
}
