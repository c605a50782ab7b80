package runfile

import (
	"io"
	"strconv"
	"strings"

	"github.com/markgen/markgen/profile/table"
	"github.com/markgen/markgen/runtime/layout"
)

// Units are the units of a program as a run's data file names them, with the
// places of the words by which their markers are turned on and off. They are read
// step by step while the run goes on (Follow), for whoever steers it: package
// steer. The zero value has read nothing.
type Units struct {
	List   []*Unit // in the order in which they are in the file
	Log    uint64  // offset of the block in which changes of state are written down; 0: there is none
	Stacks []Stack // with the open scopes of goroutines

	// Aliases give the number of the marker that a cell, or an open scope, is of, by
	// the cell's.
	Aliases map[uint64]uint64

	broken   error              // of the chain of blocks, which nothing mends
	next     uint64             // offset of the first block that was not read
	byNumber map[uint64]*Unit   // of List
	early    map[uint64]wordsAt // words whose table was not read yet, by its number
}

// Unit is what one call of Register published.
type Unit struct {
	Number   uint64
	First    uint64       // number of Markers[0], those of the others follow
	Path     string       // import path; "-" of stopwatches, which have no package
	Markers  []UnitMarker // those with words of their own: m lines, in their order
	Counters []string     // the names of counters that are markers: c lines

	// Words is the offset in the file of the words of Markers[0], those of the
	// others follow; 0: they are not in the file.
	Words uint64
}

// UnitMarker is a marker with words of its own.
type UnitMarker struct {
	Name string // "" when its line can't be read
	Gate int    // index of the marker in the unit whose word the code tests before this one's
}

// Stack is a block with the open scopes of a goroutine.
type Stack struct{ Offset, Size uint64 }

// wordsAt is a block of words: n markers from an offset on.
type wordsAt struct{ offset, n uint64 }

// Follow takes in what has come since the last time, up to the bytes that the
// header of the file, of size bytes at r, says are in use. What is damaged is left
// out, for Read to tell about; an error is about the header or about the chain
// of blocks.
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
	for i := range unit.Markers { // "-", and a gate that is none: the marker stands for itself
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

// parseUnitMarker reads what is needed of an m line.
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

// words takes note of where a table's words are, if all of them lie in the block.
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

// place gives the unit its words, unless they are not as many as its markers.
func (u *Unit) place(at wordsAt) {
	if u.Words == 0 && at.n == uint64(len(u.Markers)) {
		u.Words = at.offset
	}
}
