package registry

import (
	"bytes"
	"slices"
	"strings"
)

// Attributes returns the text of a .gitattributes file, nil for none yet, with a line that makes git keep the lines
// of both sides where two branches changed the registry at one place: Parse reads that, and Assign settles it. The
// text is returned as it is where it says how the registry is merged.
func Attributes(text []byte) []byte {
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) > 1 && fields[0] == FileName && slices.ContainsFunc(fields[1:], func(f string) bool {
			return strings.HasPrefix(strings.TrimLeft(f, "-!"), "merge")
		}) {
			return text
		}
	}
	text = bytes.Clone(text)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return append(text, FileName+" merge=union\n"...)
}
