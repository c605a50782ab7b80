package inplace

import (
	"slices"
	"strings"
)

// SameTable reports whether two generated table files are the same except for line ends, empty
// lines and the order of the markers: in a union merge of two branches, git appends the markers of
// one to those of the other. A table whose fields and lines differ in number is not the same as any
// other, since its markers would have the wrong names.
func SameTable(a, b []byte) bool {
	one, ok := readTable(a)
	other, otherOK := readTable(b)
	return ok && otherOK && slices.Equal(one.rest, other.rest) && slices.Equal(one.comments, other.comments) && slices.Equal(one.markers, other.markers)
}

// tableLines has the lines of a table file.
type tableLines struct {
	markers  []string // for each marker its field and its m line, joined; sorted
	comments []string // sorted
	rest     []string // in order
}

// readTable reads a table file; ok reports whether there are as many fields as m lines.
func readTable(text []byte) (t tableLines, ok bool) {
	var fields []string
	n := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "":
		case strings.HasPrefix(line, tableComment):
			t.comments = append(t.comments, line)
		case strings.HasPrefix(line, "\t") && strings.HasSuffix(line, ",") && line != "\t"+fieldBefore+",":
			fields = append(fields, line)
		case strings.HasPrefix(line, "m\t"):
			if n < len(fields) {
				t.markers = append(t.markers, fields[n]+line)
			}
			n++
		default:
			t.rest = append(t.rest, line)
		}
	}
	slices.Sort(t.markers)
	slices.Sort(t.comments)
	return t, n == len(fields)
}
