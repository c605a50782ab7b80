package report

import (
	"bufio"
	"io"
)

// A Column of a table of text that another package makes.
type Column struct {
	Name    string
	Left    bool // aligned to the left, as words are; numbers are aligned to the right
	Shorten bool // may be cut down to fit
	Begins  bool // where it is cut down its beginning is kept, else its end
	Rank    int  // the first to be left out where it is too wide has 1; 0: never
	Cells   []string
}

// WriteTable writes a line with the columns' names and one for each of their cells, as
// wide and in such colors as o says. Characters that could do more than be shown are
// replaced.
func WriteTable(w io.Writer, columns []Column, o Options) error {
	own := make([]column, len(columns))
	for i, c := range columns {
		own[i] = column{name: c.Name, left: c.Left, shorten: c.Shorten, begins: c.Begins, rank: c.Rank, cells: make([]string, len(c.Cells))}
		for k, cell := range c.Cells {
			own[i].cells[k] = printable(cell)
		}
	}
	b := bufio.NewWriter(w)
	writeRows(b, own, rows{}, o)
	return b.Flush()
}
