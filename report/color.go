package report

import (
	"strings"
	"unicode"
)

// ink reports whether to use colours.
type ink bool

// SGR parameters, ECMA-48 8.3.117.
const (
	plain  = ""
	strong = "1"
	faint  = "2"
	alarm  = "33"
	warm   = "33"
	hot    = "1;31"
	good   = "32"
)

// paint applies a style to text, if colours are used.
func (i ink) paint(style, text string) string {
	if !bool(i) || style == plain {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// printable returns text without characters that could affect the terminal beyond the place where
// it is printed: names come from data files.
func printable(text string) string {
	clean := true
	for i := range len(text) {
		clean = clean && ' ' <= text[i] && text[i] < 0x7f
	}
	if clean {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
