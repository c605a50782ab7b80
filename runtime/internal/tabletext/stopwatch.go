package tabletext

import "github.com/markgen/markgen/runtime/internal/lite"

// stopwatch begins the text of a stopwatch's table, and of no other table.
const stopwatch = "p\t-\n"

// IsStopwatch reports whether a text is that of a stopwatch.
func IsStopwatch(text string) bool {
	return len(text) >= len(stopwatch) && text[:len(stopwatch)] == stopwatch
}

// Stopwatch returns the text of the table of a stopwatch that was first started at that place. The
// marker's ID is the FNV-1a hash (Fowler, Noll and Vo) of its name, so that a stopwatch is the same
// marker in every build.
func Stopwatch(name, file string, line int) string {
	const offset, prime = 14695981039346656037, 1099511628211
	id := uint64(offset)
	for _, b := range []byte("watch " + name) {
		id = (id ^ uint64(b)) * prime
	}
	text := append([]byte(stopwatch+"f\t"), file...)
	text = lite.AppendHex(append(text, "\nm\t"...), id)
	text = lite.AppendUint(append(text, "\tregion\t0\t"...), uint64(line))
	text = append(text, "\t1\t0\t-\t-\t1\t"...)
	for _, r := range name { // invalid UTF-8 yields U+FFFD
		if r < ' ' { // a tab or the end of the line would end the name
			r = ' '
		}
		text = append(text, string(r)...)
	}
	return string(append(text, '\n'))
}
