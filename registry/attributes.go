package registry

import (
	"bytes"
	"slices"
	"strings"
)

// merged are the files that git should merge by keeping the lines of both sides: the registry, and
// tables of markers in the source, which also have one line per marker.
var merged = []string{FileName, "markgen_table*.go"}

// Attributes returns the text of a .gitattributes file (nil if there is none) with lines added so
// that git keeps the lines of both sides if two branches changed the registry, or a table of
// markers, at the same place. Parse accepts the result, and Assign resolves duplicates. Text that
// already sets the merge attribute for these files is not changed.
func Attributes(text []byte) []byte {
	text = bytes.Clone(text)
	for _, name := range merged {
		if saysMerge(text, name) {
			continue
		}
		if len(text) > 0 && text[len(text)-1] != '\n' {
			text = append(text, '\n')
		}
		text = append(text, name+" merge=union\n"...)
	}
	return text
}

// saysMerge reports whether a .gitattributes file sets the merge attribute for files of a name.
func saysMerge(text []byte, name string) bool {
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) > 1 && fields[0] == name && slices.ContainsFunc(fields[1:], func(f string) bool {
			return strings.HasPrefix(strings.TrimLeft(f, "-!"), "merge")
		}) {
			return true
		}
	}
	return false
}
