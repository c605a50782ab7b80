package table

import (
	"errors"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// A Table is what the text of a table says: its markers, and what its counters
// count. It does not change; runs of one program share it.
type Table struct {
	Markers  []*profile.Marker // without figures; nil: the line could not be read
	Gates    []int             // the markers whose gates those of Markers are; -1: none
	Once     []bool            // whether Go's runtime calls their functions, and nothing else does: once
	Counters []Counter
	Added    []CounterSum // in order

	Bad     int      // lines that can't be read
	Damages []Damage // the first of them
}

// A Damage is a line that can't be read.
type Damage struct {
	Number int // from 1
	Line   string
}

// A Counter is what one counter counts: a marker, or a block, or (after a line
// that can't be read) neither.
type Counter struct {
	Marker *profile.Marker
	Block  *profile.Block
}

// A CounterSum is a counter, by number, whose block others count, which all stand behind it.
type CounterSum struct {
	Number int
	Of     []int
}

// mostDamages is how many of the lines that can't be read are kept.
const mostDamages = 20

// parse reads the text of a table, one record a line. Lines of kinds it
// does not know are passed over. A line that can't be read is among the damages, and
// keeps its place in the numbering.
func parse(text string) *Table {
	t := &Table{}
	importPath := ""
	var files []string
	var guesses map[string]bool // IDs
	file := func(index string) (string, bool) {
		i, err := strconv.ParseUint(index, 10, 32)
		if errors.Is(err, strconv.ErrSyntax) && strings.HasSuffix(index, ".go") {
			return index, true // as tables in the source have it
		}
		if err != nil || i >= uint64(len(files)) {
			return "", false
		}
		return files[i], true
	}
	// The file of a block is named as import path and last element. Names are made once for blocks
	// that follow each other, and all together take no more than a few times what the text does: a
	// path may be long, and there may be many files.
	var last struct{ index, importPath, name string }
	room := 4*len(text) + 4096
	blockFile := func(index string) (string, bool) {
		if index == last.index && importPath == last.importPath {
			return last.name, true
		}
		name, ok := file(index)
		if !ok || len(importPath)+len(name) > room {
			return "", false
		}
		last.index, last.importPath, last.name = index, importPath, path.Join(importPath, path.Base(name))
		room -= len(last.name)
		return last.name, true
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		kind, _, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		good := utf8.ValidString(line)
		switch kind {
		case "p":
			importPath, _, _ = strings.Cut(strings.ToValidUTF8(line[2:], "\uFFFD"), " [") // "p [p.test]" is p, built for its test
		case "f":
			files = append(files, strings.ToValidUTF8(line[2:], "\uFFFD")) // its markers can be read
		case "m":
			m, gate, flags, ok := parseMarker(line, file, len(t.Markers))
			good = good && ok
			if !good {
				m = nil
			} else {
				within(m, importPath)
			}
			t.Markers, t.Gates = append(t.Markers, m), append(t.Gates, gate)
			t.Once = append(t.Once, strings.ContainsAny(flags, "im"))
		case "c":
			m, ok := parseCounter(line, file)
			good = good && ok
			if !good {
				m = nil
			} else {
				within(m, importPath)
			}
			t.Counters = append(t.Counters, Counter{Marker: m})
		case "g":
			if guesses == nil {
				guesses = map[string]bool{}
			}
			guesses[line[2:]] = true
		case "b":
			b, of, ok := parseBlock(line, blockFile, len(t.Counters))
			good = good && ok
			if !good {
				b = nil
			} else if of != nil {
				t.Added = append(t.Added, CounterSum{len(t.Counters), of})
			}
			t.Counters = append(t.Counters, Counter{Block: b})
		}
		if !good {
			if t.Bad++; t.Bad <= mostDamages {
				t.Damages = append(t.Damages, Damage{number, line})
			}
		}
	}
	if guesses != nil {
		for _, m := range t.Markers {
			guess(m, guesses)
		}
		for _, c := range t.Counters {
			guess(c.Marker, guesses)
		}
	}
	return t
}

// guess sets Guess of a marker, which may be nil, whose ID is among those.
func guess(m *profile.Marker, ids map[string]bool) {
	if m != nil {
		m.Guess = ids[m.ID.String()]
	}
}

// Twice tells whether a marker is there twice, of a table all of whose lines could be read.
func (t *Table) Twice() bool {
	seen := make(map[registry.ID]struct{}, len(t.Markers))
	for _, m := range t.Markers {
		seen[m.ID] = struct{}{}
	}
	return len(seen) < len(t.Markers)
}

// within puts a marker into the package of its table's p line, unless its name is
// not of that package: a stopwatch's is of none.
func within(m *profile.Marker, importPath string) {
	if strings.HasPrefix(m.Name, importPath+".") {
		m.Package = importPath
	}
}

// parseMarker reads
//
//	m ID KIND FILEIDX LINE COL GATE|- FLAGS GROUP SAMPLE NAME
//
// of place i. A gate that is none is -1.
func parseMarker(line string, file func(string) (string, bool), i int) (m *profile.Marker, gate int, flags string, ok bool) {
	var f [11]string
	if !split(f[:], line) || f[10] == "" {
		return nil, -1, "", false
	}
	if m, ok = parsePlace(f[1:6], file); !ok {
		return nil, -1, "", false
	}
	sample, err := strconv.ParseUint(f[9], 10, 64)
	if err != nil {
		return nil, -1, "", false
	}
	if gate = i; f[6] != "-" {
		if gate, err = strconv.Atoi(f[6]); err != nil {
			gate = -1
		}
	}
	m.CountOnly = m.Kind == "point" || strings.Contains(f[7], "c")
	if f[8] != "-" {
		m.Group = f[8]
	}
	m.Sample = sample
	m.Name = f[10]
	return m, gate, f[7], true
}

// split fills fields with those of a line, the last with all that is left, and says whether there are as many.
func split(fields []string, line string) bool {
	last := len(fields) - 1
	for i := range last {
		at := strings.IndexByte(line, '\t')
		if at < 0 {
			return false
		}
		fields[i], line = line[:at], line[at+1:]
	}
	fields[last] = line
	return true
}

// parseCounter reads
//
//	c ID KIND FILEIDX LINE COL NAME
func parseCounter(line string, file func(string) (string, bool)) (*profile.Marker, bool) {
	var f [7]string
	if !split(f[:], line) || f[6] == "" {
		return nil, false
	}
	m, ok := parsePlace(f[1:6], file)
	if !ok {
		return nil, false
	}
	m.CountOnly = true
	m.Name = f[6]
	return m, true
}

// parsePlace reads the fields ID KIND FILEIDX LINE COL. A table in the source has the file's name
// for its index and no numbers that every edit would change: the line is - there, and 0 in the
// marker.
func parsePlace(f []string, file func(string) (string, bool)) (*profile.Marker, bool) {
	id, err := registry.ParseID(f[0])
	name, ok := file(f[2])
	at, ok2 := []int{0, 0}, true
	if f[3] != "-" {
		at, ok2 = numbers(f[3:5])
	}
	if err != nil || f[1] == "" || !ok || !ok2 {
		return nil, false
	}
	return &profile.Marker{ID: id, Kind: f[1], File: name, Line: at[0], Col: at[1]}, true
}

// parseBlock reads
//
//	b FILEIDX STARTLINE STARTCOL ENDLINE ENDCOL NUMSTMT [COUNTER+COUNTER…]
//
// where the counter is number i of its table.
func parseBlock(line string, file func(string) (string, bool), i int) (b *profile.Block, sum []int, ok bool) {
	f := strings.SplitN(line, "\t", 9)
	if len(f) != 7 && len(f) != 8 {
		return nil, nil, false
	}
	if len(f) == 8 {
		sum = make([]int, 0, 1+strings.Count(f[7], "+"))
		for k := range strings.SplitSeq(f[7], "+") {
			n, err := strconv.ParseUint(k, 10, 31)
			if err != nil || int(n) <= i {
				return nil, nil, false
			}
			sum = append(sum, int(n))
		}
	}
	name, ok := file(f[1])
	n, ok2 := numbers(f[2:7])
	if !ok || !ok2 {
		return nil, nil, false
	}
	return &profile.Block{
		File:      name,
		StartLine: n[0],
		StartCol:  n[1],
		EndLine:   n[2],
		EndCol:    n[3],
		NumStmt:   n[4],
	}, sum, true
}

// numbers reads fields that are small whole numbers.
func numbers(fields []string) ([]int, bool) {
	list := make([]int, len(fields))
	for i, f := range fields {
		n, err := strconv.ParseUint(f, 10, 31)
		if err != nil {
			return nil, false
		}
		list[i] = int(n)
	}
	return list, true
}
