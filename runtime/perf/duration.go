//go:build !markgen_off

package perf

// units are those that durations are written in.
var units = [...]struct {
	name string
	ns   uint64
}{{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}}

// longest is the longest duration that is taken, ns: a hundred years.
const longest = 100 * 365 * 24 * 3600e9

// parseDuration reads a duration as package time writes it, such as 1.5s or
// 1h30m, into ns.
func parseDuration(s string) (ns uint64, ok bool) {
	for s != "" {
		n := 0
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.') {
			n++
		}
		whole, part := cut(s[:n], '.')
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
		v, ok := parseUint(whole)
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
