package profile

import (
	"cmp"
	"strings"
)

// CompareNames compares names in natural order: numbers by value, so that if#2 comes before if#10,
// and everything else byte by byte. Numbers of equal value are ordered by their digits: 01 comes
// before 1. It returns 0 only for equal names.
func CompareNames(a, b string) int {
	same, least := 0, min(len(a), len(b)) // same is the length of the common prefix
	for same < least && a[same] == b[same] {
		same++
	}
	number := same // start of the digits at the end of the common prefix
	for number > 0 && isDigit(a[number-1]) {
		number--
	}
	x, y := digits(a[number:]), digits(b[number:])
	if x != "" && y != "" {
		x, y := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
			return c
		}
	}
	return cmp.Compare(a[same:], b[same:])
}

// digits returns the leading digits of s.
func digits(s string) string {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return s[:n]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// CompareMarkers orders markers by name, then by ID.
func CompareMarkers(a, b *Marker) int {
	return cmp.Or(CompareNames(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
}
