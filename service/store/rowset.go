package store

import "strings"

// A rowset is a table of arguments for a statement, whose text has {rows} in its place and refers
// to it as v. The exec method of a transaction returns the number of rows changed, and calls visit,
// unless nil, with the number that the statement returns for each of them.
type rowset struct {
	columns []rowColumn
	n       int
}

// A rowColumn is a column of a rowset. Only the slice of its kind is used.
type rowColumn struct {
	name  string
	kind  kind
	ints  []int64
	texts []string
	bytes [][]byte
}

// A kind is a type of values.
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

// row appends a row: integers, then texts, in the order of newRowset.
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

// withRows replaces {rows} in a statement by source.
func withRows(text, source string) string { return strings.Replace(text, "{rows}", source, 1) }
