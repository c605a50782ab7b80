package rewrite

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// table returns the text that the unit registers with the runtime: one record per line, fields
// separated by tabs (docs/reference/data-file.md lists the records). File names are relative to root.
func (u *Unit) table(root string) string {
	var b strings.Builder
	b.WriteString(u.TableHead(u.timed))
	index := map[*file]int{}
	for i, f := range u.files {
		index[f] = i
		b.WriteString("f\t" + Relative(root, f.Name) + "\n")
	}
	// A line directive may give a block another file.
	named := map[string]int{}
	blockFile := func(c coverBlock) int {
		if c.File == filepath.Base(c.f.Name) {
			return index[c.f]
		}
		name := filepath.ToSlash(filepath.Join(filepath.Dir(Relative(root, c.f.Name)), c.File))
		i, ok := named[name]
		if !ok {
			i = len(index) + len(named)
			named[name] = i
			b.WriteString("f\t" + name + "\n")
		}
		return i
	}
	var line []byte
	text := func(words ...string) {
		for _, w := range words {
			line = append(append(line, '\t'), w...)
		}
	}
	numbers := func(list ...int) {
		for _, n := range list {
			line = strconv.AppendInt(append(line, '\t'), int64(n), 10)
		}
	}
	end := func() {
		b.Write(append(line, '\n'))
		line = line[:0]
	}
	for i, p := range u.timed {
		flags := ""
		if p.SizeExpr != "" {
			flags += "z"
		}
		if p.gate != i && p.atTop {
			flags += "t"
		}
		line = append(line, 'm')
		text(p.ID.String(), p.Kind)
		numbers(index[p.f], p.Pos.Line, p.Pos.Column)
		if p.gate == i {
			text(ownGate)
		} else {
			numbers(p.gate)
		}
		text(dash(flags), dash(p.Group))
		numbers(p.rate())
		text(p.Name)
		end()
	}
	line = append(line, 'l')
	for _, p := range u.timed {
		numbers(p.lines.before, p.lines.within)
	}
	end()
	for _, p := range u.counts {
		line = append(line, 'c')
		text(p.ID.String(), p.Kind)
		numbers(index[p.f], p.Pos.Line, p.Pos.Column)
		text(p.Name)
		end()
	}
	for _, list := range [][]*Point{u.timed, u.counts} {
		for _, p := range list {
			if p.Guess {
				b.WriteString("g\t" + p.ID.String() + "\n")
			}
		}
	}
	for _, c := range u.blocks {
		file := blockFile(c)
		line = append(line, 'b')
		numbers(file, c.StartLine, c.StartCol, c.EndLine, c.EndCol, c.NumStmt)
		end()
	}
	return b.String()
}

// TableHead returns the first lines of a table with the given timed points.
func (u *Unit) TableHead(points []*Point) string {
	head := ""
	if sampled(points) {
		head = sampledLine
	}
	if u.Name == "main" {
		head += lastLine
	}
	return head + "p\t" + u.Path + "\n"
}

// TableLine returns the point's line of a table in a file that people keep. It has the name of the
// point's file; the place is looked up in the source.
func (p *Point) TableLine(file string) string {
	flags := ""
	if p.Count {
		flags += "c"
	}
	if p.SizeExpr != "" {
		flags += "z"
	}
	return strings.Join([]string{"m", p.ID.String(), p.Kind, file, noPlace, noPlace, ownGate, dash(flags), dash(p.Group),
		strconv.Itoa(p.rate()), p.Name}, "\t") + "\n"
}

// rate returns N of the point's sample=1:N, 1 by default.
func (p *Point) rate() int { return max(p.Sample, 1) }

// sampled reports whether a timed point has a rate other than 1.
func sampled(points []*Point) bool {
	return slices.ContainsFunc(points, func(p *Point) bool { return p.rate() > 1 && !p.Count })
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Relative returns the slash-separated name of a file, relative to root if the file is below root.
func Relative(root, name string) string {
	if root != "" {
		if rel, err := filepath.Rel(root, name); err == nil && !strings.HasPrefix(rel, "..") {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(name)
}

// quote returns a table as a Go string literal on one line, packed if it is long, since a program
// copies all its tables when it starts.
func quote(table string) string {
	if len(table) >= longTable {
		if packed := pack(table); len(packed) < len(table) && len(table) <= mostPacked*(len(packed)-packedHead) && leastStored(table) <= len(packed) {
			table = packed
		}
	}
	return strconv.Quote(table)
}

// The format of tables, which docs/reference/data-file.md describes and package perf reads.
const (
	sampledLine   = "s\n" // first line of a table with rates
	lastLine      = "e\n" // in the table of package main, which is initialised last
	ownGate       = "-"   // gate of a marker that is its own gate
	noPlace       = "-"   // line and column of a marker whose position is looked up in the source
	packedText    = 0     // first byte of a packed table
	packedSampled = 1     // first byte of a packed table with rates
	packedHead    = 5     // bytes before the packed data: the first byte and the length of the table
	mostPacked    = 16    // maximum ratio of the table's length to that of the packed data
	leastMarker   = 16    // minimum storage that the reader allots to a line for a marker, in bytes
	leastLine     = 4     // minimum storage for another line with fields, in bytes
)

// leastStored returns the minimum number of bytes that the reader of a table allots to it. That may
// be more than the table's length.
func leastStored(table string) (n int) {
	for line := range strings.Lines(table) {
		switch kind, _, fields := strings.Cut(line, "\t"); {
		case kind == "m" || kind == "c":
			n += leastMarker
		case fields:
			n += leastLine
		}
	}
	return n
}

// longTable is the length in bytes from which a table is packed. Shorter ones are more useful if
// they are readable.
const longTable = 4 << 10

func pack(table string) string {
	first := byte(packedText)
	if strings.HasPrefix(table, sampledLine) {
		first = packedSampled
	}
	head := binary.LittleEndian.AppendUint32([]byte{first}, uint32(len(table)))
	b := bytes.NewBuffer(head)
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(b)
	// Writing to memory does not fail.
	_, _ = w.Write([]byte(table))
	_ = w.Close()
	return b.String()
}

// packLevel is the compression level. Packing takes half the time of flate.DefaultCompression, and
// the result is 10 % longer.
const packLevel = 3

// packers pools the writers: each allocates almost a megabyte.
var packers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, packLevel)
	if err != nil {
		panic(err) // packLevel is invalid
	}
	return w
}}
