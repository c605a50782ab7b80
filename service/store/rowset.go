package store

import "strings"

// A rowset is rows that one statement is to work with, which has {rows} for them: a table with the name v. To run such
// a statement, exec of a transaction, returns how many rows it changed; visit, if it is not nil, is given the number that the
// statement returns for each of them.
type rowset struct {
	columns []rowColumn
	n       int
}

// A rowColumn has the values of one kind.
type rowColumn struct {
	name  string
	kind  kind
	ints  []int64
	texts []string
	bytes [][]byte
}

// A kind of values.
type kind string

const (
	isInt   kind = "int"
	isText  kind = "text"
	isBytes kind = "bytes"
)

func newRowset(ints, texts []string) *rowset {
	r := &rowset{}
	for _, name := range ints {
		r.columns = append(r.columns, rowColumn{name: name, kind: isInt})
	}
	for _, name := range texts {
		r.columns = append(r.columns, rowColumn{name: name, kind: isText})
	}
	return r
}

// row appends a row: its numbers and texts in the order of newRowset.
func (r *rowset) row(ints []int64, texts ...string) {
	for i, v := range ints {
		r.columns[i].ints = append(r.columns[i].ints, v)
	}
	for i, v := range texts {
		c := &r.columns[len(ints)+i]
		c.texts = append(c.texts, v)
	}
	r.n++
}

// clear removes the rows.
func (r *rowset) clear() {
	for i := range r.columns {
		c := &r.columns[i]
		c.ints, c.texts, c.bytes = c.ints[:0], c.texts[:0], c.bytes[:0]
	}
	r.n = 0
}

func (c *rowColumn) value(i int) any {
	switch c.kind {
	case isInt:
		return c.ints[i]
	case isText:
		return c.texts[i]
	}
	return c.bytes[i]
}

func (r *rowset) names() (list []string) {
	for i := range r.columns {
		list = append(list, r.columns[i].name)
	}
	return list
}

// withRows puts the source of rows into a statement.
func withRows(text, source string) string { return strings.Replace(text, "{rows}", source, 1) }
