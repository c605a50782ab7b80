package report

import (
	"bufio"
	"bytes"
	"unicode/utf8"

	"github.com/markgen/markgen/profile"
)

// column is one column of the text table.
type column struct {
	name    string
	text    func(m *profile.Marker) string
	left    bool // aligned to the left: words; numbers are aligned to the right
	shorten bool // may be cut down to fit
	rank    int  // the first to be left out has 1; 0: never
	heat    bool // coloured by its share

	cells []string
	width int
}

// gap is between two columns.
const gap = "  "

// writeTable writes a line with the columns' names and one for each marker.
func writeTable(w *bufio.Writer, columns []column, markers []*profile.Marker, o Options) {
	for i := range columns {
		c := &columns[i]
		c.cells = make([]string, len(markers))
		for k, m := range markers {
			c.cells[k] = c.text(m)
		}
	}
	self := uint64(0)
	for _, m := range markers {
		self += m.SelfNS
	}
	look := rows{
		style: func(k int) string { return heat(markers[k].SelfNS, self) },
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
		c.width = width(c.name)
		for _, cell := range c.cells {
			c.width = max(c.width, width(cell))
		}
	}
	columns = fit(columns, o.Width)
	ink := ink(o.Color)
	var line bytes.Buffer
	for i := range columns {
		columns[i].put(&line, i, len(columns), columns[i].name, plain, false)
	}
	w.WriteString(ink.paint(strong, line.String()))
	w.WriteByte('\n')

	for k := range rows {
		line.Reset()
		for i := range columns {
			c := &columns[i]
			s := plain
			if c.heat && look.style != nil {
				s = look.style(k)
			}
			c.put(&line, i, len(columns), c.cells[k], s, ink)
		}
		if look.pale != nil && look.pale(k) {
			w.WriteString(ink.paint(faint, line.String()))
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
func heat(part, whole uint64) string {
	switch share := float64(part) / float64(whole); {
	case share >= 0.2:
		return hot
	case share >= 0.05:
		return warm
	}
	return plain
}

// put writes one cell, column i of n, padded to the column's width. Lines do
// not end in spaces.
func (c *column) put(line *bytes.Buffer, i, n int, text, style string, ink ink) {
	if i > 0 {
		line.WriteString(gap)
	}
	if c.shorten {
		text = shorten(text, c.width)
	}
	pad := max(0, c.width-width(text))
	if !c.left {
		spaces(line, pad)
	}
	line.WriteString(ink.paint(style, text))
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

// fit makes the table no wider than limit, 0 being none: places are cut down,
// then names, then columns left out in the order of their ranks, and at last
// names cut down to what remains.
func fit(columns []column, limit int) []column {
	if limit <= 0 {
		return columns
	}
	for rank := 1; ; rank++ {
		over := -limit
		for i, c := range columns {
			if i > 0 {
				over += len(gap)
			}
			over += c.width
		}
		if over <= 0 {
			return columns
		}
		// What could be saved by cutting down, the place first.
		saved := make([]int, len(columns))
		rest := over
		for i := len(columns) - 1; i >= 0; i-- {
			if c := columns[i]; c.shorten {
				least := leastPlace
				if i == 0 {
					least = leastName
				}
				saved[i] = min(rest, max(0, c.width-least))
				rest -= saved[i]
			}
		}
		kept := columns[:0:0]
		last := true
		for _, c := range columns {
			if c.rank != rank {
				kept = append(kept, c)
			}
			last = last && c.rank < rank
		}
		if rest > 0 && !last {
			columns = kept
			continue
		}
		if rest > 0 { // a very narrow terminal
			saved[0] += min(rest, max(0, columns[0].width-saved[0]-1))
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
