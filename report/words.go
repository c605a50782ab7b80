package report

import (
	"slices"
	"strings"

	"github.com/markgen/markgen/runtime/glob"
)

// What other views of the same figures (the live one) write as reports do.

// Printable returns text, which may be from a data file, without what could change
// more of a terminal than the place it is printed at.
func Printable(text string) string { return printable(text) }

// Shorten cuts the name of a marker, or a place, down to n characters. The end is what
// tells them apart.
func Shorten(text string, n int) string { return shorten(text, n) }

// Begin cuts text down to its first n characters.
func Begin(text string, n int) string { return begin(text, n) }

// Pad makes text n characters wide, on the left if n is negative.
func Pad(text string, n int) string { return pad(text, n) }

// Bars draws a bar for each of some counts.
func Bars(counts []uint64) string {
	var text strings.Builder
	most := slices.Max(append(counts, 0))
	for _, n := range counts {
		text.WriteString(bar(n, most, blocks))
	}
	return text.String()
}

// Means reports whether a name is meant by what somebody has typed to see some of many: a part of it, or a glob of the
// whole, upper or lower case. Nothing typed means every name.
func Means(filter, name string) bool {
	filter, name = strings.ToLower(filter), strings.ToLower(name)
	return strings.Contains(name, filter) || strings.ContainsAny(filter, "*?") && glob.Match(filter, name)
}
