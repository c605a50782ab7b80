package report

import (
	"bufio"
	"io"
)

// A Column is a column of a text table made by another package.
type Column struct {
	Name    string
	Left    bool // left-aligned, for words; numbers are right-aligned
	Shorten bool // may be shortened to fit
	Begins  bool // shortening keeps the beginning instead of the end
	Rank    int  // order in which columns are dropped if the table is too wide, from 1; 0: never
	Cells   []string
}

// WriteTable writes a header with the names of the columns and a line for each row of cells, with
// the width and colors of o. Characters that could affect the terminal are replaced.
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
