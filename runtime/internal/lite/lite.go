// Package lite has the few functions of strings, strconv, sort and time that the runtime needs:
// these packages may have markers themselves, and would link more code than is used.
package lite

// Cut splits s at the first sep; rest is "" if there is none.
//
//go:noinline
func Cut(s string, sep byte) (before, rest string) {
	for i := range len(s) {
		if s[i] == sep {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// Field returns field n of a line, from 0; fields are separated by tabs. The field numbered last is
// the rest of the line.
func Field(line string, n, last int) string {
	for range n {
		_, line = Cut(line, '\t')
	}
	if n == last {
		return line
	}
	f, _ := Cut(line, '\t')
	return f
}

// Contains reports whether text contains what.
//
//go:norace
func Contains(text []byte, what string) bool {
	for ; len(text) >= len(what); text = text[1:] {
		if string(text[:len(what)]) == what {
			return true
		}
	}
	return false
}

// Has reports whether s contains c.
func Has(s string, c byte) bool {
	before, _ := Cut(s, c)
	return len(before) < len(s)
}

// AppendUint appends v in decimal.
//
//go:noinline
func AppendUint(b []byte, v uint64) []byte {
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

// Uint returns v in decimal.
//
//go:noinline
func Uint(v uint64) string { return string(AppendUint(nil, v)) }

// AppendTime appends a wall clock time as 20060102-150405 in UTC.
func AppendTime(b []byte, wallNS uint64) []byte {
	sec := wallNS / 1e9
	y, m, d := civil(sec / 86400)
	b = append(AppendUint(b, 1e4*y+100*m+d), '-')
	sec %= 86400
	return append(b, Uint(1e6 + sec/3600*1e4 + sec/60%60*100 + sec%60)[1:]...)
}

// civil converts days since 1970-01-01 to a date. The method is Howard Hinnant's,
// "chrono-Compatible Low-Level Date Algorithms": eras of 400 years that begin on 1 March.
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

// Sort sorts n elements by heap sort, without recursion or allocation; it is not stable. It adds
// 0.7 KB of code in all, where package slices adds 4 to 8 KB for each element type.
func Sort(n int, less func(i, j int) bool, swap func(i, j int)) {
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

// Search returns the first of n sorted elements for which before is false; n if there is none.
func Search(n int, before func(i int) bool) int {
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

// Squeeze returns text up to its first NUL, with runs of spaces and unprintable characters replaced
// by one space, and without leading and trailing spaces.
func Squeeze(text []byte) string {
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

// trimmed returns the text without a trailing space.
func trimmed(b []byte) string {
	if n := len(b) - 1; n >= 0 && b[n] == ' ' {
		b = b[:n]
	}
	return string(b)
}

// Line returns text with a newline. Control characters in it, perhaps from a value that a user
// gave, become question marks.
func Line(text string) []byte {
	line := []byte(text)
	for i, c := range line {
		if c < ' ' || c == 0x7f {
			line[i] = '?'
		}
	}
	return append(line, '\n')
}

// AppendHex appends v as 16 hexadecimal digits.
func AppendHex(b []byte, v uint64) []byte {
	for shift := 60; shift >= 0; shift -= 4 {
		b = append(b, "0123456789abcdef"[v>>shift&15])
	}
	return b
}

// ParseHex parses the format of AppendHex, such as a marker's ID: 16 lower-case hexadecimal digits.
//
//go:noinline
func ParseHex(s string) (v uint64, ok bool) {
	if len(s) != 16 {
		return 0, false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		default:
			return 0, false
		}
		v = v<<4 | uint64(c)
	}
	return v, true
}
