package report

import (
	"slices"
	"strings"

	"github.com/markgen/markgen/runtime/glob"
)

// Formatting for other views of the same data, such as the live one.

// Printable returns text, which may be from a data file, without characters that could affect the
// terminal beyond the place where it is printed.
func Printable(text string) string { return printable(text) }

// Shorten shortens the name of a marker, or a place, to n characters. It keeps the end, which
// distinguishes them.
func Shorten(text string, n int) string { return shorten(text, n) }

// Begin shortens text to its first n characters.
func Begin(text string, n int) string { return begin(text, n) }

// Pad pads text to n characters with spaces: on the right, or on the left if n is negative.
func Pad(text string, n int) string { return pad(text, n) }

// Bars returns a bar for each count.
func Bars(counts []uint64) string {
	var text strings.Builder
	most := slices.Max(append(counts, 0))
	for _, n := range counts {
		text.WriteString(bar(n, most, blocks))
	}
	return text.String()
}

// Matches reports whether a filter typed by the user matches a name: as a substring or, with * or ?,
// as a glob for the whole name, ignoring case. The empty filter matches every name.
func Matches(filter, name string) bool {
	filter, name = strings.ToLower(filter), strings.ToLower(name)
	return strings.Contains(name, filter) || strings.ContainsAny(filter, "*?") && glob.Match(filter, name)
}
