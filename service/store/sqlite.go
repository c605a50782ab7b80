package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// SQLite has one writing connection, and some that read the snapshot of when they began (WAL). A
// durable commit is on disk when it returns (synchronous FULL). A second process could not see the
// memory of the first, so the file has one owner: the process that holds the lock file beside it.

// openSQLite opens the databases of a file.
func (s *Store) openSQLite(ctx context.Context, file string) error {
	if file == "" {
		return errors.New("the name of the store is empty; give a file, or postgres://…")
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	if err := private(file); err != nil {
		return err
	}
	s.dialect = sqliteDialect()
	if s.owner, err = lockSQLite(ctx, file+"-lock"); err != nil {
		return err
	}
	pragmas := []string{"busy_timeout(10000)", "journal_mode(wal)", "synchronous(full)", "cache_size(-32768)", "wal_autocheckpoint(" + strconv.Itoa(truncatePages/2*3) + ")", "journal_size_limit(" + strconv.Itoa(truncatePages*4096) + ")"}
	if s.write, err = sqliteDB(file, "immediate", pragmas); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	if err := s.write.PingContext(ctx); err != nil {
		return err
	}
	if s.read, err = sqliteDB(file, "deferred", []string{"busy_timeout(10000)", "query_only(true)", "cache_size(-4096)"}); err != nil {
		return err
	}
	s.read.SetMaxOpenConns(4)
	s.read.SetMaxIdleConns(4)
	if s.queries, err = sqliteDB(file, "deferred", []string{"busy_timeout(10000)", "query_only(true)", "cache_size(-4096)"}); err != nil {
		return err
	}
	s.queries.SetMaxOpenConns(max(4, runtime.GOMAXPROCS(0)))
	s.queries.SetMaxIdleConns(4)
	s.background = func() { s.checkpoint(file) }
	return nil
}

// SQLite's write-ahead log is copied into the database in the background (a passive checkpoint).
// Once the log is longer than truncatePages it is truncated: that blocks writing and waits for
// running queries, all of which are short. A backup may take long, and is canceled when the log is
// longer than cancelPages. If writing outpaces the background checkpoints, writers do them
// (wal_autocheckpoint).
var (
	checkpointInterval = 500 * time.Millisecond
	truncatePages      = 48 << 20 / 4096  // pages after which it is truncated
	cancelPages        = 256 << 20 / 4096 // pages after which a backup is canceled
)

// checkpoint does this until the store closes. Closing the last connection does the final
// checkpoint.
func (s *Store) checkpoint(file string) {
	db, err := sqliteDB(file, "deferred", []string{"busy_timeout(200)"})
	if err != nil {
		s.workerErrors.note(checkpointing, err)
		return
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	tick := time.NewTicker(checkpointInterval)
	defer tick.Stop()
	for {
		select {
		case <-s.closing:
			return
		case <-tick.C:
		}
		var busy, pages, done int
		err := db.QueryRow("PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &pages, &done)
		if cut := s.cutBackup.Load(); cut != nil && pages > cancelPages {
			(*cut)(fmt.Errorf("%w: more came during the backup than the log has room for; take it while less comes, or faster", ErrBehind))
			s.cutBackup.CompareAndSwap(cut, nil)
		}
		// On a full disk truncate early, which frees space. Not during a backup, which keeps the
		// log in use.
		if err == nil && s.cutBackup.Load() == nil && (pages > truncatePages || s.classify(s.workerErrors.any()) == ErrFull) {
			err = s.emptyLog(db)
		}
		s.workerErrors.note(checkpointing, err)
	}
}

// emptyLog truncates the log. It holds the writing connection, as a log that is being written can't
// be truncated.
func (s *Store) emptyLog(db *sql.DB) error {
	write, err := s.write.Conn(s.life)
	if err != nil {
		return err
	}
	defer write.Close()
	var busy, pages, done int
	return db.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &done)
}

func sqliteDB(file, begin string, pragmas []string) (*sql.DB, error) {
	q := url.Values{"_pragma": pragmas, "_txlock": {begin}}
	return sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(file), RawQuery: q.Encode()}).String())
}

// A fileLock locks a store's file: it is a transaction on an empty database, which stays open until
// Close or until the process dies.
type fileLock struct {
	db *sql.DB
	tx *sql.Tx
}

func lockSQLite(ctx context.Context, file string) (*fileLock, error) {
	db, err := sqliteDB(file, "exclusive", []string{"busy_timeout(0)", "journal_mode(memory)"})
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(context.WithoutCancel(ctx), nil)
	if err == nil {
		return &fileLock{db, tx}, nil
	}
	if code(err) == codes.SQLITE_BUSY {
		err = fmt.Errorf("%s: another process has the store open; stop it, or have both use a PostgreSQL database", strings.TrimSuffix(file, "-lock"))
	}
	return nil, errors.Join(err, db.Close())
}

func (l *fileLock) Close() error { return errors.Join(l.tx.Rollback(), l.db.Close()) }

// code returns the primary code of an SQLite error, 0 for other errors.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

func sqliteDialect() dialect {
	statements := &sqliteStatements{}
	return dialect{
		leastFunc:  "min",
		readAsText: true, // SQLite locks a mutex for every column read
		translate:  translateSQLite,
		begin:      statements.begin,
		close:      statements.close,
		classify: func(err error) error {
			if e := (*sqlite.Error)(nil); errors.As(err, &e) && e.Code() == codes.SQLITE_IOERR_SHMSIZE { // no room for the index of the write-ahead log
				return ErrFull
			}
			switch code(err) {
			case codes.SQLITE_FULL:
				return ErrFull
			case codes.SQLITE_READONLY, codes.SQLITE_PERM, codes.SQLITE_AUTH:
				return ErrReadOnly
			case codes.SQLITE_CANTOPEN, codes.SQLITE_IOERR, codes.SQLITE_NOTADB, codes.SQLITE_CORRUPT, codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
				return ErrGone
			}
			return nil
		},
	}
}

// translateSQLite translates a migration.
func translateSQLite(text string) []string {
	list := statements(text)
	for i, one := range list {
		isNew := strings.HasPrefix(one, "CREATE TABLE")
		if isNew || strings.HasPrefix(one, "ALTER TABLE") {
			list[i] = strings.NewReplacer("BIGINT", "INTEGER", "BYTEA", "BLOB").Replace(one)
		}
		if isNew {
			one = list[i]
			if strings.HasPrefix(one, "CREATE TABLE log ") { // its rows are long
				one += " STRICT"
			} else {
				one += " STRICT, WITHOUT ROWID"
			}
			list[i] = one
		}
	}
	return list
}
