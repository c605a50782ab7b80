package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"sync"
)

// Rows are added to SQLite with prepared statements below database/sql, whose overhead per
// statement is larger than the cost of adding a row.

// sqliteStatements are the prepared statements of the writing connection.
type sqliteStatements struct {
	mu   sync.Mutex
	of   any // the driver's connection
	text map[string]driver.Stmt
	rows map[rowsKey]string
}

type rowsKey struct {
	table    *table
	from, to int // range of columns
	n        int // number of rows
}

func (s *sqliteStatements) begin(ctx context.Context, db *sql.DB, durable bool) (transaction, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	mode := "PRAGMA synchronous = NORMAL" // the next durable transaction syncs the log
	if durable {
		mode = "PRAGMA synchronous = FULL"
	}
	// Don't pass the caller's cancellation: the driver can return an error although the transaction
	// has begun, which nobody would then end. The wait for the lock is limited by busy_timeout.
	whole := context.WithoutCancel(ctx)
	for _, one := range []string{mode, "BEGIN IMMEDIATE"} {
		if _, err := conn.ExecContext(whole, one); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return &sqliteTx{Conn: conn, statements: s}, nil
}

// close closes the statements; a connection with open statements does not close.
func (s *sqliteStatements) close(db *sql.DB) error {
	conn, err := db.Conn(context.Background())
	if err != nil {
		return err
	}
	err = conn.Raw(func(of any) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		var errs []error
		for _, one := range s.text {
			if s.of == of {
				errs = append(errs, one.Close())
			}
		}
		s.of, s.text = nil, nil
		return errors.Join(errs...)
	})
	return errors.Join(err, conn.Close())
}

// A sqliteTx is a transaction.
type sqliteTx struct {
	*sql.Conn
	statements *sqliteStatements
	ended      bool
}

func (tx *sqliteTx) Commit() error {
	if _, err := tx.Conn.ExecContext(context.Background(), "COMMIT"); err != nil {
		return err
	}
	tx.ended = true
	return tx.Conn.Close()
}

func (tx *sqliteTx) Rollback() error {
	if tx.ended {
		return nil
	}
	tx.ended = true
	_, err := tx.Conn.ExecContext(context.Background(), "ROLLBACK")
	if err != nil && strings.Contains(err.Error(), "no transaction is active") { // SQLite rolls back by itself after some errors
		err = nil
	}
	return errors.Join(err, tx.Conn.Close())
}

// compiled calls use with the prepared statement.
func (tx *sqliteTx) compiled(text string, use func(driver.Stmt) error) error {
	return tx.Conn.Raw(func(of any) error {
		s := tx.statements
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.of != of {
			s.of, s.text = of, map[string]driver.Stmt{}
		}
		one, ok := s.text[text]
		if !ok {
			var err error
			if one, err = of.(driver.ConnPrepareContext).PrepareContext(context.Background(), text); err != nil {
				return err
			}
			s.text[text] = one
		}
		return use(one)
	})
}

// atOnce are the numbers of rows that one statement adds.
var atOnce = []int{32, 4, 1}

// upsert returns a statement that upserts rows with some columns of a table.
func (s *sqliteStatements) upsert(key rowsKey) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.rows[key]
	if !ok {
		t := key.table
		row := "(?" + strings.Repeat(",?", len(t.keys)+key.to-key.from-1) + ")"
		text = t.insert(key.from, key.to) + "VALUES " + row + strings.Repeat(","+row, key.n-1) + t.conflict("min", key.from, key.to)
		if s.rows == nil {
			s.rows = map[rowsKey]string{}
		}
		s.rows[key] = text
	}
	return text
}

func (tx *sqliteTx) bulk(ctx context.Context, t *table, rows []int64) error {
	if t != buckets {
		return tx.add(ctx, t, rows, 0, len(t.columns))
	}
	// Rows of buckets are mostly zeros. Rows with the same first and last bucket share statements.
	width := len(t.keys) + len(t.columns)
	var by [bucketsPerRow][bucketsPerRow][]int64
	for ; len(rows) > 0; rows = rows[width:] {
		values := rows[len(t.keys):width]
		first, last := 0, bucketsPerRow-1
		for first < last && [4]int64(values[4*first:]) == [4]int64{} {
			first++
		}
		for last > first && [4]int64(values[4*last:]) == [4]int64{} {
			last--
		}
		list := &by[first][last]
		*list = append(append(*list, rows[:len(t.keys)]...), values[4*first:4*last+4]...)
	}
	for first := range by {
		for last, list := range by[first] {
			if err := tx.add(ctx, t, list, 4*first, 4*last+4); err != nil {
				return err
			}
		}
	}
	return nil
}

// add upserts rows, each its keys and the columns from from up to, not including, to.
func (tx *sqliteTx) add(ctx context.Context, t *table, rows []int64, from, to int) error {
	width := len(t.keys) + to - from
	var args []driver.NamedValue
	for _, n := range atOnce {
		n = min(n, 960/width) // a statement with more parameters is slow
		if n == 0 || len(rows) < n*width {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := tx.compiled(tx.statements.upsert(rowsKey{t, from, to, n}), func(one driver.Stmt) error {
			for len(rows) >= n*width {
				args = args[:0]
				for i, v := range rows[:n*width] {
					args = append(args, driver.NamedValue{Ordinal: i + 1, Value: v})
				}
				if _, err := one.(driver.StmtExecContext).ExecContext(context.Background(), args); err != nil {
					return err
				}
				rows = rows[n*width:]
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// exec passes several rows as a VALUES list.
func (tx *sqliteTx) exec(ctx context.Context, text string, r *rowset, visit func(int64)) (changed int64, err error) {
	names := r.names()
	for i := range names {
		names[i] = "column" + placeholder(i + 1)[1:] + " AS " + names[i]
	}
	row := "(?" + strings.Repeat(",?", len(names)-1) + ")"
	done := 0
	var args []driver.NamedValue
	for _, n := range atOnce {
		if r.n-done < n {
			continue
		}
		if err := ctx.Err(); err != nil {
			return changed, err
		}
		source := "(SELECT " + strings.Join(names, ", ") + " FROM (VALUES " + row + strings.Repeat(","+row, n-1) + ")) AS v"
		if err := tx.compiled(withRows(text, source), func(one driver.Stmt) error {
			for ; r.n-done >= n; done += n {
				args = args[:0]
				for i := done; i < done+n; i++ {
					for k := range r.columns {
						args = append(args, driver.NamedValue{Ordinal: len(args) + 1, Value: r.columns[k].value(i)})
					}
				}
				more, err := execOne(one, args, visit)
				if err != nil {
					return err
				}
				changed += more
			}
			return nil
		}); err != nil {
			return changed, err
		}
	}
	return changed, nil
}

func execOne(one driver.Stmt, args []driver.NamedValue, visit func(int64)) (changed int64, err error) {
	if visit == nil {
		result, err := one.(driver.StmtExecContext).ExecContext(context.Background(), args)
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	}
	rows, err := one.(driver.StmtQueryContext).QueryContext(context.Background(), args)
	if err != nil {
		return 0, err
	}
	value := make([]driver.Value, 1)
	for {
		err := rows.Next(value)
		if err == io.EOF {
			return changed, rows.Close()
		}
		if err != nil {
			return changed, errors.Join(err, rows.Close())
		}
		visit(value[0].(int64))
		changed++
	}
}
