package report

import (
	"bufio"
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/markgen/markgen/profile"
)

// A column is one column of the text table.
type column struct {
	name    string
	text    func(m *profile.Marker) string
	left    bool // left-aligned, for words; numbers are right-aligned
	shorten bool // may be shortened to fit
	begins  bool // shortening keeps the beginning instead of the end
	rank    int  // order in which columns are dropped, from 1; 0: never
	heat    bool // colour cells by their share

	// tail returns text that follows the cell, shortened to the remaining width; "" if none. If
	// whole is true, other columns are dropped before the cells of this one are shortened.
	tail  func(m *profile.Marker) string
	whole bool

	cells, tails []string
	width        int // of cells and tails
	least        int // of cells alone
}

// gap separates two columns.
const gap = "  "

// writeTable writes a header and a line for each of the markers.
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

// rows styles the rows of a table; nil functions mean plain.
type rows struct {
	style func(row int) string // style of the cells in coloured columns
	pale  func(row int) bool   // whether the row is faint
	below func(row int) string // line below the row; "" for none
}

// writeRows writes a header and a line for each row of the columns' cells.
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
			w.WriteString(ink(o.Color).paint(faint, string(bytes.TrimRight(line.Bytes(), " "))))
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

// heat returns the style for a share.
func heat(part, whole float64) string {
	switch share := part / whole; {
	case share >= 0.2:
		return hot
	case share >= 0.05:
		return warm
	}
	return plain
}

// put writes one cell, of column i of n, padded to the column's width. Lines have no trailing
// spaces.
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

// Columns are not shortened below these widths while another column can be dropped.
const (
	leastName  = 28
	leastPlace = 12
)

// Widths of tails.
const (
	mostTail  = 60 // longer tails are shortened even if there is space
	someTail  = 24 // columns up to tailRank are dropped to make this much space
	leastTail = 8  // a shorter piece is useless

	tailRank = 6
)

// wholeRank is the highest rank of columns that are dropped before names with whole set are
// shortened.
const wholeRank = 7

// room returns the width to which a column is shortened before columns of the given rank are
// dropped.
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

// distinct returns the minimum width to which a column may be shortened such that different cells
// stay different.
func (c *column) distinct() int { return leastDistinct(slices.Clone(c.cells)) }

// fit limits the width of the table to limit; 0 is no limit. First places are shortened, then tails
// and names, then columns are dropped in order of rank, and finally names are shortened further,
// but not so far that two become equal. Names with whole set are only shortened when columns up to
// wholeRank have been dropped.
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
		// Widths that shortening would save, the place first.
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

// width returns the number of characters of text, which is the number of terminal columns except
// for characters of double width.
func width(text string) int { return utf8.RuneCountInString(text) }

// shorten shortens text to n characters, or to "" if n is less than one. The end of names and
// places distinguishes them, so first whole path elements are removed at the beginning, then
// characters.
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

// begin shortens text to the first n characters, or to "" if n is less than one.
func begin(text string, n int) string {
	if len(text) <= n || width(text) <= n {
		return text
	}
	if n <= 0 {
		return ""
	}
	return string([]rune(text)[:n-1]) + "…"
}
