package config

import "github.com/markgen/markgen/runtime/internal/lite"

// share parses a share in percent, above 0% and below 100%, such as 1% or 0.25%, with at most four
// decimals. It returns parts per million.
func share(s string) (ppm uint64, ok bool) {
	if s == "" || s[len(s)-1] != '%' {
		return 0, false
	}
	whole, decimals := lite.Cut(s[:len(s)-1], '.')
	ppm, ok = Uint(whole)
	if !ok || len(decimals) > 4 || len(decimals) == 0 && len(whole) < len(s)-1 {
		return 0, false
	}
	for i := range 4 {
		digit := uint64(0)
		if i < len(decimals) {
			if decimals[i] < '0' || decimals[i] > '9' {
				return 0, false
			}
			digit = uint64(decimals[i] - '0')
		}
		ppm = 10*ppm + digit
	}
	return ppm, ppm > 0 && ppm < 1e6
}

// Demotes reports whether markers may be demoted: demote= is given and no other key needs more of
// each scope than its count. collect=wait is allowed, since waiting is reported in proportion to the
// timed scopes.
func (c *Config) Demotes() bool { return c.Demote != 0 && c.needsScopes() == "" }

// needsScopes returns the key, perhaps with its value, that needs more of each scope than its count; ""
// if there is none.
func (c *Config) needsScopes() (key string) {
	switch {
	case c.Sample > 1:
		return "sample"
	case c.Countdown:
		return "countdown"
	case c.Enough != 0:
		return "enough"
	case c.Calls != 0:
		return "throttle"
	case c.Callers:
		return "callers"
	case c.Paths != 0:
		return "paths"
	case c.Adapt:
		return "adapt"
	case c.Pairs:
		return "pairs"
	case c.Outermost:
		return "outermost"
	case c.Wild:
		return "collect=wild"
	case c.ReadsBesides("wait") || c.Collects("trace"):
		return "collect=" + c.Collect
	}
	return ""
}

// settleBudget sets the defaults of budget=. problem is why it cannot go with other keys, or "".
func (c *Config) settleBudget() (problem string) {
	if c.Budget == 0 {
		return ""
	}
	key := c.needsScopes()
	if c.NoSelf {
		key = "noself"
	}
	switch {
	case key != "":
		return KeyError("budget", "cannot go with "+key+"; leave one of the two out")
	case c.File == "" && c.Spool == "":
		return KeyError("budget", "needs a data file, which says what was turned off when; give file or spool, too")
	case c.Demote == 0:
		c.Demote, c.Times = demoteAfter, demoteBelow
	}
	return ""
}
