package report

import (
	"strings"
	"unicode"
)

// ink is whether to use colours.
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

// paint puts text in the style, if colours are to be used.
func (i ink) paint(style, text string) string {
	if !bool(i) || style == plain {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// printable returns text without what could change more of a terminal than the
// place it is printed at: names come from data files.
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
