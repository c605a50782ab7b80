package report

// What other views of the same figures (the live one) write as reports do.

// Count writes a number with a comma between groups of three digits.
func Count(n uint64) string { return count(n) }

// Plural writes how many of something there are.
func Plural(n int, noun string) string { return plural(n, noun) }

// Duration writes a time with three significant digits: 0.45ns, 12.3µs, 2m05s.
func Duration(ns float64) string { return duration(ns) }

// Frequency writes a rate per second: 2.100GHz.
func Frequency(hz float64) string { return frequency(hz) }

// Printable returns text, which may be from a data file, without what could change
// more of a terminal than the place it is printed at.
func Printable(text string) string { return printable(text) }

// Shorten cuts the name of a marker, or a place, down to n characters. The end is what
// tells them apart.
func Shorten(text string, n int) string { return shorten(text, n) }
