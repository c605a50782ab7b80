package profile

import (
	"cmp"
	"strings"
)

// CompareNames compares names for an order that people expect: numbers in them by their value, so that if#2 comes
// before if#10, all else byte by byte. Numbers of equal value are in the order of their digits: 01 comes before 1.
// The result is 0 for equal names only.
func CompareNames(a, b string) int {
	same, least := 0, min(len(a), len(b)) // how many bytes are the same
	for same < least && a[same] == b[same] {
		same++
	}
	number := same // where the number begins that they end in, or are before
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

// digits are those that s begins with.
func digits(s string) string {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return s[:n]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// CompareMarkers orders markers by name, those of equal names by ID.
func CompareMarkers(a, b *Marker) int {
	return cmp.Or(CompareNames(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
}
