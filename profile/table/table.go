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

// A Table is a parsed table: its markers, and the meaning of its counters. It is immutable and
// shared by runs of one program.
type Table struct {
	Markers  []*profile.Marker // without recorded data; nil if the line could not be parsed
	Gates    []int             // by marker, the index of the marker whose gate it uses; -1 if none
	Once     []bool            // by marker, whether its function is an init function or func main, which run once
	Lines    []Lines           // by marker; nil if unknown
	Path     string            // import path of the package
	Main     bool              // the package is package main
	Counters []Counter

	Bad     int      // number of unparseable lines
	Damages []Damage // the first mostDamages of them
}

// Lines are the lines of a marker's source: how many there are from its line to those on which its scope
// can be open, and how many these are, 0 if unknown.
type Lines struct{ Before, Within int }

// A Damage is an unparseable line.
type Damage struct {
	Number int // from 1
	Line   string
}

// A Counter is the meaning of a counter: a marker, a block, or neither if its line could not be
// parsed.
type Counter struct {
	Marker *profile.Marker
	Block  *profile.Block
}

// mainLine is in the table of package main (tabletext.LastTable).
const mainLine = "e"

// mostDamages is the maximum number of unparseable lines kept.
const mostDamages = 20

// parse parses the text of a table, one record per line. It skips lines of unknown kinds. An
// unparseable line is added to Damages and keeps its number.
func parse(text string) *Table {
	t := &Table{}
	importPath := ""
	var files []string
	var guesses map[string]bool // IDs
	file := func(index string) (string, bool) {
		i, err := strconv.ParseUint(index, 10, 32)
		if errors.Is(err, strconv.ErrSyntax) && strings.HasSuffix(index, ".go") {
			return index, true // in tables in the source
		}
		if err != nil || i >= uint64(len(files)) {
			return "", false
		}
		return files[i], true
	}
	// A block's file is its import path and base name. Consecutive blocks share one string, and all
	// strings together are limited to a few times the size of the text: paths may be long, and
	// files many.
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
			t.Main = t.Main || line == mainLine
			continue
		}
		good := utf8.ValidString(line)
		switch kind {
		case "p":
			importPath, _, _ = strings.Cut(strings.ToValidUTF8(line[2:], "\uFFFD"), " [") // "p [p.test]" is p, built for its test
		case "f":
			files = append(files, strings.ToValidUTF8(line[2:], "\uFFFD")) // its markers can be parsed even if it is damaged
		case "m":
			m, gate, ok := parseMarker(line, file, len(t.Markers))
			good = good && ok
			if !good {
				m = nil
			} else {
				within(m, importPath)
			}
			t.Markers, t.Gates = append(t.Markers, m), append(t.Gates, gate)
			t.Once = append(t.Once, m != nil && runsOnce(m.Name, importPath))
		case "l":
			t.Lines, good = parseLines(line)
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
			b, ok := parseBlock(line, blockFile)
			good = good && ok
			if !good {
				b = nil
			}
			t.Counters = append(t.Counters, Counter{Block: b})
		}
		if !good {
			if t.Bad++; t.Bad <= mostDamages {
				t.Damages = append(t.Damages, Damage{number, line})
			}
		}
	}
	t.Path = importPath
	if len(t.Lines) != len(t.Markers) {
		t.Lines = nil
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

// runsOnce reports whether a marker of a package is of an init function, or of func main.
func runsOnce(name, importPath string) bool {
	name, ok := strings.CutPrefix(name, importPath+".")
	if i := strings.IndexAny(name, ":#"); i >= 0 {
		name = name[:i]
	}
	return ok && (name == "init" || name == "main")
}

// guess sets Guess if m's ID is in ids. m may be nil.
func guess(m *profile.Marker, ids map[string]bool) {
	if m != nil {
		m.Guess = ids[m.ID.String()]
	}
}

// Twice reports whether two markers have the same ID. All lines must have been parsed.
func (t *Table) Twice() bool {
	seen := make(map[registry.ID]struct{}, len(t.Markers))
	for _, m := range t.Markers {
		seen[m.ID] = struct{}{}
	}
	return len(seen) < len(t.Markers)
}

// within sets a marker's package to that of the table's p line, if the name starts with it.
// Stopwatches have no package.
func within(m *profile.Marker, importPath string) {
	if strings.HasPrefix(m.Name, importPath+".") {
		m.Package = importPath
	}
}

// parseMarker parses
//
//	m ID KIND FILEIDX LINE COL GATE|- FLAGS GROUP SAMPLE NAME
//
// for marker number i. gate is -1 if there is none.
func parseMarker(line string, file func(string) (string, bool), i int) (m *profile.Marker, gate int, ok bool) {
	var f [11]string
	if !split(f[:], line) || f[10] == "" {
		return nil, -1, false
	}
	if m, ok = parsePlace(f[1:6], file); !ok {
		return nil, -1, false
	}
	sample, err := strconv.ParseUint(f[9], 10, 64)
	if err != nil {
		return nil, -1, false
	}
	if gate = i; f[6] != "-" {
		if gate, err = strconv.Atoi(f[6]); err != nil {
			gate = -1
		}
	}
	m.CountOnly = m.Kind == "point" || strings.Contains(f[7], "c")
	m.FollowsCall = strings.Contains(f[7], "t")
	if f[8] != "-" {
		m.Group = f[8]
	}
	m.Sample = sample
	m.Name = f[10]
	return m, gate, true
}

// split sets fields to the tab-separated fields of line, the last one to the rest. It returns false
// if there are too few.
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

// parseCounter parses
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

// parsePlace parses the fields ID KIND FILEIDX LINE COL. A table in the source has the file's name
// instead of an index, and - instead of line and column, which every edit would change; then the
// marker has line 0.
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

// parseBlock parses
//
//	b FILEIDX STARTLINE STARTCOL ENDLINE ENDCOL NUMSTMT
func parseBlock(line string, file func(string) (string, bool)) (b *profile.Block, ok bool) {
	f := strings.SplitN(line, "\t", 8)
	if len(f) != 7 {
		return nil, false
	}
	name, ok := file(f[1])
	n, ok2 := numbers(f[2:7])
	if !ok || !ok2 {
		return nil, false
	}
	return &profile.Block{
		File:      name,
		StartLine: n[0],
		StartCol:  n[1],
		EndLine:   n[2],
		EndCol:    n[3],
		NumStmt:   n[4],
	}, true
}

// parseLines parses
//
//	l BEFORE WITHIN ...
func parseLines(line string) ([]Lines, bool) {
	n, ok := numbers(strings.Split(line, "\t")[1:])
	if !ok || len(n)%2 != 0 {
		return nil, false
	}
	list := make([]Lines, len(n)/2)
	for i := range list {
		list[i] = Lines{n[2*i], n[2*i+1]}
	}
	return list, true
}

// numbers parses small unsigned integers.
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
