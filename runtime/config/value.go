package config

import "github.com/markgen/markgen/runtime/internal/lite"

// Uint parses decimal digits, at most 18; ok is false for anything else.
//
//go:noinline
func Uint(s string) (v uint64, ok bool) {
	if s == "" || len(s) > 18 {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		v = v*10 + uint64(s[i]-'0')
	}
	return v, true
}

// MaxRate is the maximum N of 1:N.
const MaxRate = 1_000_000_000

// Rate parses 1:N, with N from 1 to MaxRate.
func Rate(s string) (n uint64, ok bool) {
	one, digits := lite.Cut(s, ':')
	n, ok = Uint(digits)
	return n, ok && one == "1" && n >= 1 && n <= MaxRate
}

// Size parses a number of bytes; a suffix K, M or G multiplies it by a power of 1024.
func Size(s string) (n uint64, ok bool) {
	shift := 0
	if s != "" {
		switch s[len(s)-1] {
		case 'K':
			shift = 10
		case 'M':
			shift = 20
		case 'G':
			shift = 30
		}
	}
	if shift > 0 {
		s = s[:len(s)-1]
	}
	n, ok = Uint(s)
	return n << shift, ok && n <= 1<<62>>shift
}

// parseSpool parses DIR or DIR:SIZE. dir is "" if value is neither. The last element of a DIR
// without SIZE has no colon, so that a mistyped SIZE does not become part of a name.
func parseSpool(value string) (dir string, room uint64) {
	for i := len(value) - 1; i > 0 && value[i] != '/' && value[i] != '\\'; i-- {
		if value[i] == ':' {
			if n, ok := Size(value[i+1:]); ok {
				return value[:i], n
			}
			return "", 0
		}
	}
	return value, DefaultRoom
}

// Expand returns a path of file= or report= for this process: %% is a percent sign, and add appends
// the replacement of %p, the process ID, %a, the name of the program, and %t, its start time in UTC
// (20060102-150405).
func Expand(path string, add func(b []byte, letter byte) []byte) string {
	var b []byte
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+1 < len(path) {
			switch letter := path[i+1]; letter {
			case 'p', 'a', 't':
				b = add(b, letter)
				i++
				continue
			case '%':
				i++
			}
		}
		b = append(b, path[i])
	}
	return string(b)
}

// units are the units of durations.
var units = [...]struct {
	name string
	ns   uint64
}{{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}}

// longest is the maximum duration, in ns: a hundred years.
const longest = 100 * 365 * 24 * 3600e9

// duration parses a duration in the format of package time, such as 1.5s or 1h30m, and returns ns.
func duration(s string) (ns uint64, ok bool) {
	for s != "" {
		n := 0
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.') {
			n++
		}
		whole, part := lite.Cut(s[:n], '.')
		s = s[n:]
		n = 0
		for n < len(s) && s[n] != '.' && (s[n] < '0' || s[n] > '9') {
			n++
		}
		unit := uint64(0)
		for _, u := range units {
			if u.name == s[:n] {
				unit = u.ns
			}
		}
		s = s[n:]
		v, ok := Uint(whole)
		if !ok && (whole != "" || part == "") || unit == 0 || v > longest/unit {
			return 0, false
		}
		ns += v * unit
		for _, digit := range []byte(part) {
			if digit == '.' {
				return 0, false
			}
			unit /= 10
			ns += uint64(digit-'0') * unit
		}
		if ns > longest {
			return 0, false
		}
		ok = true
		if s == "" {
			return ns, ok
		}
	}
	return 0, false
}
