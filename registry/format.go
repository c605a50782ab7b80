package registry

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The first line of the file has the version of the format.
const (
	headerWord = "markgen registry "
	version    = "1"
)

// explanation follows the header in every file. Lines starting with # are ignored.
const explanation = `# The IDs of this module's performance markers. Keep this file in version control: it is what an ID survives edits by.
# id state package func kind ordinal rank name header body
`

// Format returns the text of the file: the same bytes for equal registries. Functions are separated
// by empty lines, because git merges changes of two lines only if an unchanged line is between
// them.
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

// Same reports whether two registry texts are the same except for line ends, empty lines, duplicate
// lines, and order, which git's union merge changes.
func Same(a, b []byte) bool { return slices.Equal(sortedLines(a), sortedLines(b)) }

// sortedLines returns the nonempty lines, sorted, without duplicates.
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

// appendField appends a field: plain if all characters allow it, else as a quoted Go string. "-"
// stands for an empty field.
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

// nextField parses the field at the start of line, which must not be empty, and returns it and the
// rest after the following blank. ok is false if the quoting is invalid.
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
