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

// A dialect is what differs between the databases.
type dialect struct {
	least     string                                            // function for the smallest of some numbers
	lock      string                                            // behind a SELECT whose rows are to be locked until the transaction ends
	asText    bool                                              // a column of text costs less to read than some of numbers
	shared    bool                                              // other processes may use the database at the same time
	script    func(text string) []string                        // the statements of a migration
	isolation sql.IsolationLevel                                // of a transaction whose queries are to see the same
	kind      func(error) error                                 // one of the errors of this package, or nil
	now       func(context.Context, queryer) (time.Time, error) // nil: Options.Now

	close func(write *sql.DB) error // before the database is closed; nil: nothing is to be done

	// begin begins a transaction that writes. One that is not durable may be on disk only when a later one that is durable has
	// been committed, where the database dies with this process or with the machine and not alone: then what
	// is lost of them is in the log, which is durable.
	begin func(ctx context.Context, db *sql.DB, durable bool) (transaction, error)
}

// A transaction writes.
type transaction interface {
	queryer

	// exec runs a statement with rows in it. See (*Store).exec.
	exec(ctx context.Context, text string, r *rowset, visit func(int64)) (changed int64, err error)

	// bulk adds rows of a table, keys and then columns, sorted by their keys and each there once.
	bulk(ctx context.Context, t *table, rows []int64) error

	Commit() error
	Rollback() error // nothing after Commit
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

// change runs a statement in a transaction of its own, and returns how many rows it changed.
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

// wrap says what failed, and what kind of an error it is.
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
	if s.dialect.kind == nil { // the database was not opened
		return fmt.Errorf("%s: %w", what, err)
	}
	if kind := s.kind(err); kind != nil {
		return fmt.Errorf("%s: %w: %w", what, kind, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// statements cuts a script at the ends of its statements, and leaves out comments.
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

// each calls visit for every row of a query.
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

// placeholder stands for the n-th argument of a statement.
func placeholder(n int) string { return "$" + strconv.Itoa(n) }
