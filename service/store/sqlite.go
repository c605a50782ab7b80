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

// In SQLite there is one connection that writes, and some that read beside it what was there when they began (WAL). A
// commit is on disk when it returns (synchronous FULL). A second process would know nothing of what is in the
// memory of the first, so the file has one owner: who holds the lock of the file beside it.

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
	pragmas := []string{"busy_timeout(10000)", "journal_mode(wal)", "synchronous(full)", "cache_size(-32768)", "wal_autocheckpoint(" + strconv.Itoa(longLog/2*3) + ")", "journal_size_limit(" + strconv.Itoa(longLog*4096) + ")"}
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

// What is in SQLite's write-ahead log is put into the database beside the writing. When it is long
// the log begins anew: nothing is written meanwhile, and queries that began before have to be over,
// which takes none of them long. A backup may take long, and goes on until the log is much too
// long. Where more is written than put into the database beside it, who writes does it.
var (
	checkpoints = 500 * time.Millisecond // between two looks
	longLog     = 48 << 20 / 4096        // pages after which it begins anew
	longerLog   = 256 << 20 / 4096       // pages after which a backup is cut off
)

// checkpoint does that until the store closes. The last connection to close does the rest.
func (s *Store) checkpoint(file string) {
	db, err := sqliteDB(file, "deferred", []string{"busy_timeout(200)"})
	if err != nil {
		s.trouble.note(logging, err)
		return
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	tick := time.NewTicker(checkpoints)
	defer tick.Stop()
	for {
		select {
		case <-s.closing:
			return
		case <-tick.C:
		}
		var busy, pages, done int
		err := db.QueryRow("PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &pages, &done)
		if cut := s.cutBackup.Load(); cut != nil && pages > longerLog {
			(*cut)(fmt.Errorf("%w: more came during the backup than the log has room for; take it while less comes, or faster", ErrBehind))
		}
		// Where the disk is full, what the log takes of it is given back. With a backup on the way it can't begin anew.
		if err == nil && len(s.backups) == 0 && (pages > longLog || s.kind(s.trouble.now()) == ErrFull) {
			err = s.emptyLog(db)
		}
		s.trouble.note(logging, err)
	}
}

// emptyLog has the log begin anew. Who writes waits for the connection meanwhile: while somebody
// writes the log has no end.
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

// A fileLock says whose a store is: an empty database, in a transaction that does not end before the lock is closed or
// its process dies.
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

// code is the primary code of an error of SQLite, 0 of others.
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
		least:  "min",
		asText: true, // for every column that is read a lock is taken
		script: sqliteScript,
		begin:  statements.begin,
		close:  statements.close,
		kind: func(err error) error {
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

// sqliteScript puts a migration into SQLite's words.
func sqliteScript(text string) []string {
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
