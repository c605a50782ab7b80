package report

// What other views of the same figures (the live one) write as reports do.

// Printable returns text, which may be from a data file, without what could change
// more of a terminal than the place it is printed at.
func Printable(text string) string { return printable(text) }

// Shorten cuts the name of a marker, or a place, down to n characters. The end is what
// tells them apart.
func Shorten(text string, n int) string { return shorten(text, n) }

// Begin cuts text down to its first n characters.
func Begin(text string, n int) string { return begin(text, n) }
