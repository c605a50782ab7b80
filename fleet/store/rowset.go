package store

import (
	"context"
	"database/sql"
	"strings"
)

// A rowset is rows that one statement is to work with. The statement has {rows} for them, a table with the name v.
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

// exec runs a statement, and returns how many rows it changed. visit, if it is not nil, is given the number that the
// statement returns for each of them.
func (s *Store) exec(ctx context.Context, tx *sql.Tx, text string, r *rowset, visit func(int64)) (changed int64, err error) {
	if r.n == 0 {
		return 0, nil
	}
	source, args := s.source(r)
	text = strings.Replace(text, "{rows}", source, 1)
	statement, err := tx.PrepareContext(ctx, text)
	if err != nil {
		return 0, err
	}
	defer statement.Close()
	for _, one := range args {
		if visit == nil {
			result, err := statement.ExecContext(ctx, one...)
			if err != nil {
				return 0, err
			}
			n, err := result.RowsAffected()
			if err != nil {
				return 0, err
			}
			changed += n
			continue
		}
		rows, err := statement.QueryContext(ctx, one...)
		if err := each(rows, err, func() error {
			var v int64
			err := rows.Scan(&v)
			visit(v)
			changed++
			return err
		}); err != nil {
			return 0, err
		}
	}
	return changed, nil
}

// rowByRow is a source of one row, for databases in the same process.
func rowByRow(r *rowset) (source string, args [][]any) {
	source = "(SELECT ? AS " + strings.Join(r.names(), ", ? AS ") + ") AS v"
	for i := range r.n {
		one := make([]any, len(r.columns))
		for k := range r.columns {
			one[k] = r.columns[k].value(i)
		}
		args = append(args, one)
	}
	return source, args
}

// allAtOnce is a source of all rows, each column an array.
func allAtOnce(r *rowset) (source string, args [][]any) {
	one := make([]any, len(r.columns))
	arrays := make([]string, len(r.columns))
	for k := range r.columns {
		c := &r.columns[k]
		arrays[k] = placeholder(k + 1)
		switch c.kind {
		case isInt:
			one[k] = c.ints
			arrays[k] += "::bigint[]"
		case isText:
			one[k] = c.texts
			arrays[k] += "::text[]"
		case isBytes:
			one[k] = c.bytes
			arrays[k] += "::bytea[]"
		}
	}
	return "unnest(" + strings.Join(arrays, ", ") + ") AS v(" + strings.Join(r.names(), ", ") + ")", [][]any{one}
}
