package registry

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// header is the first line of the file; its number is the version of the format.
const (
	headerWord = "markgen registry "
	version    = "1"
)

// explanation follows the header in every file. Lines that start with # are not read.
const explanation = `# The IDs of this module's performance markers. Keep this file in version control: it is what an ID survives edits by.
# id state package func kind ordinal rank name header body
`

// Format returns the file's text: the same bytes for equal registries. Functions are kept apart by empty lines, for
// git merges changes on two lines only if a line that nobody changed stands between them.
func (r *Registry) Format() []byte {
	var b []byte
	b = append(b, headerWord+version+"\n"+explanation...)
	for i, e := range r.entries {
		if i == 0 || e.Package != r.entries[i-1].Package || e.Func != r.entries[i-1].Func {
			b = append(b, '\n')
		}
		b = appendEntry(b, e)
		b = append(b, '\n')
	}
	return b
}

// Same says whether two texts of a registry are the same but for line ends, empty lines, lines that
// are there twice, and the order of the markers: so it is where two branches are merged by git's
// union.
func Same(a, b []byte) bool { return slices.Equal(sortedLines(a), sortedLines(b)) }

// sortedLines are the lines that are not empty.
func sortedLines(text []byte) []string {
	var list []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			list = append(list, line)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// appendEntry appends the line of e without a line end.
func appendEntry(b []byte, e Entry) []byte {
	state := "live"
	if e.Retired {
		state = "retired"
	}
	b = append(b, e.ID.String()...)
	for _, field := range []string{state, e.Package, e.Func, e.Kind, strconv.Itoa(e.Ordinal), e.Rank, e.Given, e.Header} {
		b = append(b, ' ')
		b = appendField(b, field)
	}
	return fmt.Appendf(b, " %016x", e.Body)
}

// appendField appends a field as it is where it has only plain characters, and as a Go string otherwise. "-" stands
// for an empty field.
func appendField(b []byte, field string) []byte {
	if field == "" {
		return append(b, '-')
	}
	plain := field != "-" && field[0] != '"'
	for i := 0; plain && i < len(field); i++ {
		plain = field[i] > ' ' && field[i] < 0x7f
	}
	if plain {
		return append(b, field...)
	}
	return strconv.AppendQuote(b, field)
}

// nextField reads the field at the start of line, which is not empty, and returns it with what follows it and the
// blank behind. ok is false when the quoting is wrong.
func nextField(line string) (field, rest string, ok bool) {
	if line[0] != '"' {
		field, rest, _ = strings.Cut(line, " ")
		if field == "-" {
			field = ""
		}
		return field, rest, true
	}
	quoted, err := strconv.QuotedPrefix(line)
	if err != nil {
		return "", "", false
	}
	field, err = strconv.Unquote(quoted)
	if err != nil {
		return "", "", false
	}
	rest = line[len(quoted):]
	if rest != "" && rest[0] != ' ' {
		return "", "", false
	}
	return field, strings.TrimPrefix(rest, " "), true
}
