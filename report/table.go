package report

import (
	"bufio"
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/markgen/markgen/profile"
)

// column is one column of the text table.
type column struct {
	name    string
	text    func(m *profile.Marker) string
	left    bool // aligned to the left: words; numbers are aligned to the right
	shorten bool // may be cut down to fit
	begins  bool // where it is cut down its beginning is kept, else its end
	rank    int  // the first to be left out has 1; 0: never
	heat    bool // coloured by its share

	// tail is what follows the text, cut down to what the width has left; "": nothing. Other columns are
	// left out rather than the text cut down where whole is true.
	tail  func(m *profile.Marker) string
	whole bool

	cells, tails []string
	width        int // of cells and tails
	least        int // of cells alone
}

// gap is between two columns.
const gap = "  "

// writeTable writes a line with the columns' names and one for each of these markers of a profile.
func writeTable(w *bufio.Writer, p *profile.Profile, columns []column, markers []*profile.Marker, o Options) {
	for i := range columns {
		c := &columns[i]
		c.cells = make([]string, len(markers))
		for k, m := range markers {
			c.cells[k] = c.text(m)
		}
		if c.tail != nil {
			c.tails = make([]string, len(markers))
			for k, m := range markers {
				c.tails[k] = c.tail(m)
			}
		}
	}
	running := runningOf(p)
	look := rows{
		style: func(k int) string { return heat(float64(markers[k].RunningNS()), running) },
		pale:  func(k int) bool { return markers[k].Count == 0 },
	}
	if o.Hist {
		look.below = func(k int) string { return histogram(markers[k], o) }
	}
	writeRows(w, columns, look, o)
}

// rows says how the rows of a table look, where that is to be anything but plain.
type rows struct {
	style func(row int) string // of the cells in columns that are coloured
	pale  func(row int) bool   // whether it is faint
	below func(row int) string // a line below it; "" is none
}

// writeRows writes a line with the columns' names and one for each of their cells.
func writeRows(w *bufio.Writer, columns []column, look rows, o Options) {
	rows := 0
	for i := range columns {
		c := &columns[i]
		rows = len(c.cells)
		c.least = width(c.name)
		for _, cell := range c.cells {
			c.least = max(c.least, width(cell))
		}
		c.width = c.least
		for k, tail := range c.tails {
			if tail != "" {
				c.width = max(c.width, width(c.cells[k])+len(gap)+min(width(tail), mostTail))
			}
		}
	}
	columns = fit(columns, o.Width)
	var line bytes.Buffer
	for i := range columns {
		columns[i].put(&line, i, len(columns), columns[i].name, "", plain, false)
	}
	w.WriteString(ink(o.Color).paint(strong, line.String()))
	w.WriteByte('\n')

	for k := range rows {
		line.Reset()
		pale := look.pale != nil && look.pale(k)
		for i := range columns {
			c := &columns[i]
			s, tail := plain, ""
			if c.heat && look.style != nil {
				s = look.style(k)
			}
			if len(c.tails) > 0 {
				tail = c.tails[k]
			}
			c.put(&line, i, len(columns), c.cells[k], tail, s, ink(o.Color && !pale))
		}
		if pale {
			w.WriteString(ink(o.Color).paint(faint, line.String()))
		} else {
			w.Write(bytes.TrimRight(line.Bytes(), " "))
		}
		w.WriteByte('\n')
		if look.below == nil {
			continue
		}
		if text := look.below(k); text != "" {
			w.WriteString(text)
			w.WriteByte('\n')
		}
	}
}

// heat is the style for a part of a whole.
func heat(part, whole float64) string {
	switch share := part / whole; {
	case share >= 0.2:
		return hot
	case share >= 0.05:
		return warm
	}
	return plain
}

// put writes one cell, column i of n, padded to the column's width. Lines do
// not end in spaces.
func (c *column) put(line *bytes.Buffer, i, n int, text, tail, style string, ink ink) {
	if i > 0 {
		line.WriteString(gap)
	}
	switch {
	case c.shorten && c.begins:
		text = begin(text, c.width)
	case c.shorten:
		text = shorten(text, c.width)
	}
	pad := max(0, c.width-width(text))
	if !c.left {
		spaces(line, pad)
	}
	line.WriteString(ink.paint(style, text))
	if room := pad - len(gap); tail != "" && room >= min(leastTail, width(tail)) {
		tail = begin(tail, room)
		line.WriteString(gap)
		line.WriteString(ink.paint(faint, tail))
		pad = room - width(tail)
	}
	if c.left && i < n-1 {
		spaces(line, pad)
	}
}

func spaces(line *bytes.Buffer, n int) {
	const some = "                                                                "
	for ; n > len(some); n -= len(some) {
		line.WriteString(some)
	}
	line.WriteString(some[:n])
}

// Widths below which columns that may be cut down are not cut while another
// can still be left out.
const (
	leastName  = 28
	leastPlace = 12
)

// Widths of tails.
const (
	mostTail  = 60 // what is longer is cut down even where there is room
	someTail  = 24 // columns up to tailRank are left out for so much
	leastTail = 8  // a shorter piece says nothing

	tailRank = 6
)

// wholeRank is the highest rank of columns that are left out rather than names cut down that are to
// be whole.
const wholeRank = 7

// room is the width that a column is cut down to before those of a rank are left out.
func (c *column) room(first bool, rank int) int {
	switch {
	case !c.shorten:
		return c.width
	case !first:
		return min(c.width, leastPlace)
	case !c.whole || rank > wholeRank:
		return min(c.least, max(leastName, c.distinct()))
	case rank <= tailRank:
		return min(c.width, c.least+len(gap)+someTail)
	}
	return c.least
}

// distinct is the least width that a column may be cut down to: cells that differ still do.
func (c *column) distinct() int { return leastDistinct(slices.Clone(c.cells)) }

// fit makes the table no wider than limit, 0 being none: places are cut down, then tails and names,
// then columns left out in the order of their ranks, and at last names cut down to what remains,
// but not so far that two become equal. Names that are to be whole are cut down when columns up to
// wholeRank are left out.
func fit(columns []column, limit int) []column {
	if limit <= 0 {
		return columns
	}
	for rank := 1; ; rank++ {
		over := -limit
		last := true
		kept := columns[:0:0]
		for i, c := range columns {
			if i > 0 {
				over += len(gap)
			}
			over += c.width
			last = last && c.rank < rank
			if c.rank != rank {
				kept = append(kept, c)
			}
		}
		if over <= 0 {
			return columns
		}
		// What could be saved by cutting down, the place first.
		saved := make([]int, len(columns))
		rest := over
		for i := len(columns) - 1; i >= 0; i-- {
			saved[i] = min(rest, columns[i].width-columns[i].room(i == 0, rank))
			rest -= saved[i]
		}
		if rest > 0 && (!last || columns[0].whole && rank <= wholeRank) {
			columns = kept
			continue
		}
		if rest > 0 { // a very narrow terminal
			saved[0] += min(rest, max(0, columns[0].width-saved[0]-columns[0].distinct()))
		}
		for i := range columns {
			columns[i].width -= saved[i]
		}
		return columns
	}
}

// width is the number of characters, which is the number of columns but for
// characters of double width.
func width(text string) int { return utf8.RuneCountInString(text) }

// shorten cuts text down to n characters, to nothing if n is less than one. The end is what tells names and places
// apart: whole path elements go first, then the beginning of what is left.
func shorten(text string, n int) string {
	if len(text) <= n || width(text) <= n {
		return text
	}
	for i := range len(text) {
		if text[i] == '/' && 1+width(text[i:]) <= n {
			return "…" + text[i:]
		}
	}
	if n <= 0 {
		return ""
	}
	runes := []rune(text)
	return "…" + string(runes[len(runes)-n+1:])
}

// begin cuts text down to the first n characters, to nothing if n is less than one.
func begin(text string, n int) string {
	if len(text) <= n || width(text) <= n {
		return text
	}
	if n <= 0 {
		return ""
	}
	return string([]rune(text)[:n-1]) + "…"
}
