// Package glob matches names with the patterns that all of markgen has, from the keys of MARKGEN to the queries of the
// central service: * stands for any text, slashes and dots included, ? for any one byte, and the rest for itself, so that
// names such as (*T).Method can be written as they are.
//
//	glob.Match("example.com/*.(*T).*", name)
//
// It links into marked programs and so imports nothing.
package glob

// Match reports whether pattern matches all of text. Only the last * met is ever widened, so the time is at worst the
// product of the lengths.
func Match(pattern, text string) bool {
	p, t, star, from := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p, t = p+1, t+1
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// Name reports whether pattern matches a marker's name: all of it, or what stands behind its last slash.
func Name(pattern, name string) bool {
	if Match(pattern, name) {
		return true
	}
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			return Match(pattern, name[i+1:])
		}
	}
	return false
}

// Any reports whether one of the patterns in a list, with ; between them, matches a marker's name as in
// Name.
func Any(patterns, name string) bool {
	for from := 0; from < len(patterns); {
		to := from
		for to < len(patterns) && patterns[to] != ';' {
			to++
		}
		if to > from && Name(patterns[from:to], name) {
			return true
		}
		from = to + 1
	}
	return false
}
