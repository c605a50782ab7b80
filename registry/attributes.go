package registry

import (
	"bytes"
	"slices"
	"strings"
)

// merged are the files of which git is to keep the lines of both sides: the registry, and the
// tables of markers that are in the source, which have a line for each marker, too.
var merged = []string{FileName, "markgen_table*.go"}

// Attributes returns the text of a .gitattributes file, nil for none yet, with lines that make git
// keep the lines of both sides where two branches changed the registry, or a table of markers, at
// one place: Parse reads that, and Assign settles it. The text is returned as it is where it says
// how these are merged.
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

// saysMerge says whether a .gitattributes file has how files of a name are merged.
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
