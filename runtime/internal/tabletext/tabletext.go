// Package tabletext parses the texts of tables, which name the markers and counters of a package
// (docs/reference/data-file.md has the format).
//
//	for line, rest := tabletext.Next(text); line != ""; line, rest = tabletext.Next(rest) {
//		if line.Kind() == tabletext.Marker {
//			… line.Name() …
package tabletext

import (
	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/lite"
)

// Kinds of lines.
const (
	Package = 'p'
	Marker  = 'm'
	Counter = 'c'
	Block   = 'b' // a cover block
)

// LastTable is the line that marks the last table of a program, that of package main.
const LastTable Line = "e"

// Fields of a line.
const (
	fieldID    = 1
	fieldKind  = 2
	fieldGate  = 6
	fieldFlags = 7
	fieldRate  = 9

	fieldName        = 10
	fieldCounterName = 6
)

// A Line is a line of a table's text.
type Line string

// Next splits off the first line of a text; line is "" if there is none.
//
//go:noinline
func Next(text string) (line Line, rest string) {
	for line == "" && text != "" {
		var s string
		s, text = lite.Cut(text, '\n')
		line = Line(s)
	}
	return line, text
}

// IsLast reports whether a text is that of the last table of a program: LastTable is among the lines
// of one letter with which it begins.
func IsLast(text string) bool {
	for line, rest := Next(text); len(line) == 1; line, rest = Next(rest) {
		if line == LastTable {
			return true
		}
	}
	return false
}

// Describe returns the package of a table and the number of markers in its text.
func Describe(text string) (importPath string, markers int) {
	for line, rest := Next(text); line != ""; line, rest = Next(rest) {
		switch line.Kind() {
		case Package:
			importPath = line.ImportPath()
		case Marker:
			markers++
		}
	}
	return importPath, markers
}

// Kind returns the kind of the line, 0 if it has no fields.
func (l Line) Kind() byte {
	if len(l) > 1 && l[1] == '\t' {
		return l[0]
	}
	return 0
}

// ImportPath returns the import path in a line of kind Package.
func (l Line) ImportPath() string { return string(l[2:]) }

func (l Line) field(n int) string { return lite.Field(string(l), n, l.last()) }

// last returns the number of the name field, which is the rest of the line.
func (l Line) last() int {
	if l.Kind() == Counter {
		return fieldCounterName
	}
	return fieldName
}

// ID returns the ID of a marker or counter, in hexadecimal digits.
func (l Line) ID() string { return l.field(fieldID) }

// Name returns the name of a marker or counter.
func (l Line) Name() string { return l.field(l.last()) }

// IsFunction reports whether the marker is a function's.
func (l Line) IsFunction() bool { return l.field(fieldKind) == "func" }

// IsPoint reports whether the marker is a point, which has no duration.
func (l Line) IsPoint() bool { return l.field(fieldKind) == "point" }

// CountsOnly reports whether scopes of the marker are counted and not timed.
func (l Line) CountsOnly() bool { return lite.Has(l.field(fieldFlags), 'c') }

// FollowsCall reports whether the marker's function decides, when it is called, which of its bodies
// runs.
func (l Line) FollowsCall() bool { return lite.Has(l.field(fieldFlags), 't') }

// Gate returns the position in the table of the gate of marker i. The table has markers markers.
func (l Line) Gate(i uint32, markers int) uint32 {
	if g, ok := config.Uint(l.field(fieldGate)); ok && g < uint64(markers) {
		return uint32(g)
	}
	return i
}

// Rate returns the N of a marker's sample=1:N; ok is false if it can have none.
func (l Line) Rate() (n uint64, ok bool) { return config.Uint(l.field(fieldRate)) }
