package store

import (
	"context"
	"database/sql"
	"strings"
)

// A rowset is rows that one statement is to work with. The statement has {rows} for them, a table with the name v.
type rowset struct {
	names []string
	ints  map[string][]int64  // columns of whole numbers
	texts map[string][]string // columns of texts
	n     int
}

func newRowset(ints, texts []string) *rowset {
	r := &rowset{ints: map[string][]int64{}, texts: map[string][]string{}}
	for _, name := range ints {
		r.names = append(r.names, name)
		r.ints[name] = nil
	}
	for _, name := range texts {
		r.names = append(r.names, name)
		r.texts[name] = nil
	}
	return r
}

// row appends a row: its numbers and texts in the order of newRowset.
func (r *rowset) row(ints []int64, texts ...string) {
	for i, v := range ints {
		r.ints[r.names[i]] = append(r.ints[r.names[i]], v)
	}
	for i, v := range texts {
		name := r.names[len(ints)+i]
		r.texts[name] = append(r.texts[name], v)
	}
	r.n++
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
	source = "(SELECT ? AS " + strings.Join(r.names, ", ? AS ") + ") AS v"
	for i := range r.n {
		one := make([]any, len(r.names))
		for k, name := range r.names {
			if ints, ok := r.ints[name]; ok {
				one[k] = ints[i]
			} else {
				one[k] = r.texts[name][i]
			}
		}
		args = append(args, one)
	}
	return source, args
}

// allAtOnce is a source of all rows, each column an array.
func allAtOnce(r *rowset) (source string, args [][]any) {
	one := make([]any, len(r.names))
	arrays := make([]string, len(r.names))
	for k, name := range r.names {
		if ints, ok := r.ints[name]; ok {
			one[k], arrays[k] = ints, placeholder(k+1)+"::bigint[]"
		} else {
			one[k], arrays[k] = r.texts[name], placeholder(k+1)+"::text[]"
		}
	}
	return "unnest(" + strings.Join(arrays, ", ") + ") AS v(" + strings.Join(r.names, ", ") + ")", [][]any{one}
}
