package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// In PostgreSQL the statistics tables are partitioned by a hash of the API, and pages have a fill
// factor that lets an upsert leave the indexes alone (HOT). All processes lock rows in the order of
// their keys, which avoids deadlocks. Statements and idle transactions have a time limit: a process
// that hangs does not block the others.

const (
	spread         = 16 // partitions of a table
	statementLimit = time.Minute
	idleLimit      = time.Minute
)

// openPostgres opens the database at a URL.
func (s *Store) openPostgres(ctx context.Context, url string) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"application_name":                    "markgen",
		"statement_timeout":                   millis(statementLimit),
		"idle_in_transaction_session_timeout": millis(idleLimit),
		"synchronous_commit":                  "on",
		"jit":                                 "off",
	} {
		config.RuntimeParams[name] = value
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	s.dialect = postgresDialect()
	s.write = stdlib.OpenDB(*config)
	s.write.SetMaxOpenConns(6)
	s.write.SetMaxIdleConns(6)
	reading := config.Copy()
	reading.RuntimeParams["default_transaction_read_only"] = "on"
	s.read = stdlib.OpenDB(*reading)
	s.read.SetMaxOpenConns(4)
	s.read.SetMaxIdleConns(4)
	s.queries = stdlib.OpenDB(*reading)
	s.queries.SetMaxOpenConns(6)
	s.queries.SetMaxIdleConns(4)
	for _, db := range []*sql.DB{s.write, s.read, s.queries} {
		db.SetConnMaxLifetime(time.Hour)
	}
	return s.write.PingContext(ctx)
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

func postgresDialect() dialect {
	upserts := &postgresUpserts{text: map[*table]string{}}
	return dialect{
		leastFunc: "LEAST",
		forUpdate: " FOR UPDATE",
		shared:    true,
		isolation: sql.LevelRepeatableRead,
		translate: translatePostgres,
		classify:  classifyPostgres,
		// All transactions are durable: the database can crash without this process, which would
		// then rely on commits that are lost.
		begin: func(ctx context.Context, db *sql.DB, _ bool) (transaction, error) {
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				return nil, err
			}
			return &postgresTx{tx, upserts}, nil
		},
		now: func(ctx context.Context, q queryer) (time.Time, error) {
			var ms int64
			err := q.QueryRowContext(ctx, "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint").Scan(&ms)
			return time.UnixMilli(ms), err
		},
	}
}

// classifyPostgres returns the error of this package for an error of PostgreSQL or of the
// connection, or nil.
func classifyPostgres(err error) error {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) { // for any reason: on a full disk it is "could not write init file", an internal error
		return ErrGone
	}
	var e *pgconn.PgError
	if errors.As(err, &e) {
		switch {
		case e.Code == "53100": // disk full
			return ErrFull
		case e.Code == "25006", e.Code == "42501": // read-only transaction, insufficient privilege
			return ErrReadOnly
		case strings.HasPrefix(e.Code, "08"), strings.HasPrefix(e.Code, "57P"), strings.HasPrefix(e.Code, "53"), e.Code == "3D000", e.Code == "58030",
			strings.HasPrefix(e.Code, "40"): // connection, shutdown, resources, no such database, input and output, serialisation
			return ErrGone
		}
		return nil
	}
	var way net.Error
	if errors.As(err, &way) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, sql.ErrConnDone) || pgconn.SafeToRetry(err) || strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "bad connection") {
		return ErrGone
	}
	return nil
}

// translatePostgres translates a migration: text columns sort by bytes, and tables keyed by API are
// partitioned.
func translatePostgres(text string) (list []string) {
	for _, one := range statements(text) {
		one = strings.ReplaceAll(one, " TEXT ", ` TEXT COLLATE "C" `)
		name, isTable := strings.CutPrefix(one, "CREATE TABLE ")
		name, _, _ = strings.Cut(name, " ")
		switch {
		case isTable && strings.Contains(one, "PRIMARY KEY (api, "):
			list = append(list, one+" PARTITION BY HASH (api)")
			for i := range spread {
				list = append(list, fmt.Sprintf("CREATE TABLE %s_%d PARTITION OF %s FOR VALUES WITH (MODULUS %d, REMAINDER %d) WITH (fillfactor = 70)", name, i, name, spread, i))
			}
		case isTable && name == "log":
			list = append(list, one, "ALTER TABLE log ALTER COLUMN body SET STORAGE EXTERNAL")
		case isTable:
			list = append(list, one+" WITH (fillfactor = 70)")
		default:
			list = append(list, one)
		}
	}
	return list
}

// postgresUpserts are the statements that upsert rows; each column is an array argument.
type postgresUpserts struct {
	mu   sync.Mutex
	text map[*table]string
}

func (u *postgresUpserts) statement(t *table) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	text, ok := u.text[t]
	if !ok {
		arrays := make([]string, len(t.keys)+len(t.columns))
		for i := range arrays {
			arrays[i] = placeholder(i+1) + "::bigint[]"
		}
		text = t.insert(0, len(t.columns)) + "SELECT * FROM unnest(" + strings.Join(arrays, ", ") + ")" + t.conflict("LEAST", 0, len(t.columns))
		u.text[t] = text
	}
	return text
}

// A postgresTx is a transaction.
type postgresTx struct {
	*sql.Tx
	upserts *postgresUpserts
}

func (tx *postgresTx) bulk(ctx context.Context, t *table, rows []int64) error {
	if len(rows) == 0 {
		return nil
	}
	width := len(t.keys) + len(t.columns)
	n := len(rows) / width
	values := make([]int64, len(rows))
	args := make([]any, width)
	for c := range width {
		column := values[c*n : (c+1)*n : (c+1)*n]
		for i := range column {
			column[i] = rows[i*width+c]
		}
		args[c] = column
	}
	_, err := tx.ExecContext(ctx, tx.upserts.statement(t), args...)
	return err
}

// exec passes each column of the rows as an array.
func (tx *postgresTx) exec(ctx context.Context, text string, r *rowset, visit func(int64)) (changed int64, err error) {
	if r.n == 0 {
		return 0, nil
	}
	args := make([]any, len(r.columns))
	arrays := make([]string, len(r.columns))
	for k := range r.columns {
		c := &r.columns[k]
		arrays[k] = placeholder(k + 1)
		switch c.kind {
		case isInt:
			args[k] = c.ints
			arrays[k] += "::bigint[]"
		case isText:
			args[k] = c.texts
			arrays[k] += "::text[]"
		case isBytes:
			args[k] = c.bytes
			arrays[k] += "::bytea[]"
		}
	}
	text = withRows(text, "unnest("+strings.Join(arrays, ", ")+") AS v("+strings.Join(r.names(), ", ")+")")
	if visit == nil {
		result, err := tx.ExecContext(ctx, text, args...)
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	}
	rows, err := tx.QueryContext(ctx, text, args...)
	err = each(rows, err, func() error {
		var v int64
		err := rows.Scan(&v)
		visit(v)
		changed++
		return err
	})
	return changed, err
}
