package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A dialect has the differences between the databases.
type dialect struct {
	leastFunc  string                                            // SQL function for the minimum of its arguments
	forUpdate  string                                            // appended to a SELECT, locks its rows until the transaction ends
	readAsText bool                                              // reading one text column is cheaper than reading several integers
	shared     bool                                              // other processes may use the database at the same time
	translate  func(text string) []string                        // splits a migration into statements, translated for the database
	isolation  sql.IsolationLevel                                // for a transaction whose queries must see the same snapshot
	classify   func(error) error                                 // maps an error to one of this package, or to nil
	now        func(context.Context, queryer) (time.Time, error) // the database's clock; nil for Options.Now

	close func(write *sql.DB) error // called before the database is closed, unless nil

	// begin begins a write transaction. If durable is false, a database that can only fail together
	// with this process or machine may delay the sync to the next durable commit: what is lost is
	// still in the log, which is durable.
	begin func(ctx context.Context, db *sql.DB, durable bool) (transaction, error)
}

// A transaction is a write transaction.
type transaction interface {
	queryer

	// exec runs a statement for the rows of r; see rowset.
	exec(ctx context.Context, text string, r *rowset, visit func(int64)) (changed int64, err error)

	// bulk upserts rows of a table, each its keys and then its columns, sorted by keys, without
	// duplicates.
	bulk(ctx context.Context, t *table, rows []int64) error

	Commit() error
	Rollback() error // does nothing after Commit
}

func (s *Store) begin(ctx context.Context, durable bool) (transaction, error) {
	return s.dialect.begin(ctx, s.write, durable)
}

// A queryer is a database, a connection or a transaction.
type queryer interface {
	ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row
}

// change runs a statement in its own transaction and returns the number of rows changed.
func (s *Store) change(ctx context.Context, durable bool, text string, args ...any) (n int64, err error) {
	tx, err := s.begin(ctx, durable)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	r, err := tx.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	if n, err = r.RowsAffected(); err != nil {
		return 0, err
	}
	return n, tx.Commit()
}

// wrap adds to err what failed, and the matching error of this package.
func (s *Store) wrap(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w", what, err)
	}
	for _, kind := range []error{ErrConflict, ErrFull, ErrReadOnly, ErrGone, ErrBehind, ErrNewer, ErrNotFound, ErrCursor} {
		if errors.Is(err, kind) {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	if s.dialect.classify == nil { // the database was not opened
		return fmt.Errorf("%s: %w", what, err)
	}
	if kind := s.classify(err); kind != nil {
		return fmt.Errorf("%s: %w: %w", what, kind, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// statements splits a script into statements and drops comments.
func statements(text string) (list []string) {
	var clean strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "--") {
			clean.WriteString(line)
		}
	}
	for one := range strings.SplitSeq(clean.String(), ";\n") {
		if one = strings.TrimSpace(one); one != "" {
			list = append(list, one)
		}
	}
	return list
}

// each calls visit for every row of a query. err is the error of the query.
func each(rows *sql.Rows, err error, visit func() error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := visit(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// placeholder returns the placeholder of the n-th argument of a statement.
func placeholder(n int) string { return "$" + strconv.Itoa(n) }
