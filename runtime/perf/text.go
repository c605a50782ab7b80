//go:build !markgen_off

package perf

import "github.com/markgen/markgen/runtime/config"

// The few pieces of text handling this package needs; strings, strconv, sort,
// time and fmt may be marked themselves.

// cut is config.Cut, for tables as well.
func cut(s string, sep byte) (before, rest string) { return config.Cut(s, sep) }

// field gives the nth field of a line, counted from 0, with tabs between; the
// field numbered last takes the rest of the line.
func field(line string, n, last int) string {
	for range n {
		_, line = cut(line, '\t')
	}
	if n == last {
		return line
	}
	f, _ := cut(line, '\t')
	return f
}

// has says whether c is in s.
func has(s string, c byte) bool {
	before, _ := cut(s, c)
	return len(before) < len(s)
}

func appendUint(b []byte, v uint64) []byte {
	var d [20]byte
	i := len(d)
	for {
		i--
		d[i] = '0' + byte(v%10)
		if v /= 10; v == 0 {
			return append(b, d[i:]...)
		}
	}
}

// appendPadded appends v with at least n digits.
func appendPadded(b []byte, v uint64, n int) []byte {
	for limit := uint64(10); n > 1; n-- {
		if v < limit {
			for range n - 1 {
				b = append(b, '0')
			}
			break
		}
		limit *= 10
	}
	return appendUint(b, v)
}

// appendTime appends a wall clock time as 20060102-150405 in UTC.
func appendTime(b []byte, wallNS uint64) []byte {
	sec := wallNS / 1e9
	y, m, d := civil(sec / 86400)
	b = appendPadded(b, y, 4)
	b = appendPadded(b, m, 2)
	b = appendPadded(b, d, 2)
	b = append(b, '-')
	b = appendPadded(b, sec/3600%24, 2)
	b = appendPadded(b, sec/60%60, 2)
	return appendPadded(b, sec%60, 2)
}

// civil turns days since 1970-01-01 into a date. The method is Howard
// Hinnant's, "chrono-Compatible Low-Level Date Algorithms": eras of 400 years
// that begin on 1 March.
func civil(days uint64) (y, m, d uint64) {
	z := days + 719468
	era := z / 146097
	doe := z % 146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	d = doy - (153*mp+2)/5 + 1
	m = mp + 3
	if m > 12 {
		m -= 12
	}
	y = yoe + era*400
	if m <= 2 {
		y++
	}
	return y, m, d
}

// appendDuration appends ps picoseconds with three significant digits or more
// and a unit: 1.23ns, 45.6µs, 789ms, 12.3s.
func appendDuration(b []byte, ps uint64) []byte {
	units := [...]string{"ps", "ns", "µs", "ms", "s"}
	u, scale := 0, uint64(1)
	for u < len(units)-1 && ps/scale >= 1000 {
		u++
		scale *= 1000
	}
	whole, part := ps/scale, ps%scale
	digits := 0
	switch {
	case u == 0:
	case whole < 10:
		digits = 2
	case whole < 100:
		digits = 1
	}
	b = appendUint(b, whole)
	if digits > 0 {
		b = append(b, '.')
		for range digits {
			scale /= 10
			b = append(b, '0'+byte(part/scale%10))
		}
	}
	return append(b, units[u]...)
}

// width is the number of columns s takes, one for each character.
func width(s string) int {
	n := 0
	for i := range len(s) {
		if s[i]&0xc0 != 0x80 {
			n++
		}
	}
	return n
}

// sortBy sorts n things by heap sort: no recursion, no allocation, equal things in no promised order. What is in
// order already is left as it is. All that is sorted here is sorted by it: it is 0.7 KB of text, and package slices
// takes 4 to 8 KB for each type of element.
func sortBy(n int, less func(i, j int) bool, swap func(i, j int)) {
	i := 1
	for i < n && !less(i, i-1) {
		i++
	}
	if i >= n {
		return
	}
	down := func(i, n int) {
		for {
			c := 2*i + 1
			if c >= n {
				return
			}
			if c+1 < n && less(c, c+1) {
				c++
			}
			if !less(i, c) {
				return
			}
			swap(i, c)
			i = c
		}
	}
	for i := n/2 - 1; i >= 0; i-- {
		down(i, n)
	}
	for i := n - 1; i > 0; i-- {
		swap(0, i)
		down(0, i)
	}
}

// search finds the first of n things in order that is not before what is looked for; n if there is none.
func search(n int, before func(i int) bool) int {
	from, to := 0, n
	for from < to {
		if k := (from + to) / 2; before(k) {
			from = k + 1
		} else {
			to = k
		}
	}
	return from
}

// nameLess tells whether name a comes before b: numbers, which begin with no 0, by their value, all else byte by byte.
// So if#2 comes before if#10, as in what the command prints.
func nameLess(a, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	x, y := digitsEnd(a, i), digitsEnd(b, i)
	if x != y && (x > i && y > i || i > 0 && digitsEnd(a, i-1) > i-1) {
		return x < y
	}
	return a[i:] < b[i:]
}

// digitsEnd is where the digits end that s has from i on.
func digitsEnd(s string, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}

// squeeze is a text up to its first NUL, with one space where there were several, none around, and without what
// can't be printed.
func squeeze(text []byte) string {
	var b []byte
	for _, c := range text {
		switch {
		case c == 0:
			return trimmed(b)
		case c > ' ' && c < 0x7f:
			b = append(b, c)
		case len(b) > 0 && b[len(b)-1] != ' ':
			b = append(b, ' ')
		}
	}
	return trimmed(b)
}

// trimmed is the text without a space at its end.
func trimmed(b []byte) string {
	if n := len(b) - 1; n >= 0 && b[n] == ' ' {
		b = b[:n]
	}
	return string(b)
}

// oneLine ends a text with a newline. What is no text in it, of a value of the user's perhaps, becomes question marks.
func oneLine(text string) []byte {
	line := []byte(text)
	for i, c := range line {
		if c < ' ' || c == 0x7f {
			line[i] = '?'
		}
	}
	return append(line, '\n')
}
