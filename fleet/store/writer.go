package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
)

// Every process that has a store open is a writer, with a number and a log of its own. Whose process is gone, as its
// row has not been renewed for some time, is recovered by another: what is in its log and was only in its memory is
// added up again and written, chunk by chunk, where that has not been done.

const (
	beats  = 2 * time.Second  // between two renewals
	lease  = 10 * time.Second // after which a writer that has not renewed is taken for dead
	serves = 1000             // batches of a log that are recovered at once, at most
)

var errLost = errors.New("this process did not get to the database for so long that others took it for dead")

// join becomes a writer.
func (s *Store) join(ctx context.Context) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	now, err := s.clock(ctx, tx)
	if err != nil {
		return err
	}
	if !s.shared { // whoever was a writer is gone
		if _, err := tx.ExecContext(ctx, "UPDATE writer SET beat = 0"); err != nil {
			return err
		}
	}
	var id int64
	if err := tx.QueryRowContext(ctx, "UPDATE total SET writers = writers + 1 WHERE id = 1 RETURNING writers").Scan(&id); err != nil {
		return err
	}
	me := make([]byte, 16)
	rand.Read(me)
	if _, err := tx.ExecContext(ctx, "INSERT INTO writer (id, owner, beat) VALUES ($1, $2, $3)", id, me, now.UnixMilli()); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writer, s.me = id, me
	return nil
}

// beat renews the lease, and locks the writer's row. It is an error when another has taken it over.
func (s *Store) beat(ctx context.Context, tx *sql.Tx, now time.Time) error {
	r, err := tx.ExecContext(ctx, "UPDATE writer SET beat = $1 WHERE id = $2 AND owner = $3", now.UnixMilli(), s.writer, s.me)
	if err != nil {
		return err
	}
	n, err := r.RowsAffected()
	if err == nil && n == 0 {
		err = errLost
	}
	return err
}

// tend renews the lease and takes over the logs of writers that are gone, until the store closes.
func (s *Store) tend() {
	defer s.running.Done()
	tick := time.NewTicker(beats)
	defer tick.Stop()
	for {
		for {
			again, err := s.recover()
			if err != nil {
				s.trouble.Store(&err)
			}
			if !again || err != nil || s.isClosing() {
				break
			}
		}
		select {
		case <-s.closing:
			return
		case <-tick.C:
		}
	}
}

// recover takes over the log of a writer that is gone; again says that there was one.
func (s *Store) recover() (again bool, err error) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	var id int64
	if err := s.read.QueryRowContext(ctx, "SELECT id FROM writer WHERE beat < $1 AND id <> $2 ORDER BY id LIMIT 1", 1, s.writer).Scan(&id); err != nil {
		if err == sql.ErrNoRows {
			err = nil
		}
		return false, err
	}
	return true, s.recoverWriter(id)
}

// recoverWriter writes what is in a writer's log, and removes it.
func (s *Store) recoverWriter(id int64) error {
	ctx := context.Background()
	var after [allChunks]int64
	rows, err := s.read.QueryContext(ctx, "SELECT chunk, number FROM written WHERE writer = $1", id)
	if err := each(rows, err, func() error {
		var c, n int64
		err := rows.Scan(&c, &n)
		if c >= 0 && c < allChunks {
			after[c] = n
		}
		return err
	}); err != nil {
		return err
	}
	for from := int64(0); ; {
		var part sum
		n := 0
		rows, err := s.read.QueryContext(ctx, "SELECT number, origin, day, body FROM log WHERE writer = $1 AND number > $2 ORDER BY number LIMIT $3", id, from, serves)
		if err := each(rows, err, func() error {
			var number int64
			var origin, day int32
			var body []byte
			if err := rows.Scan(&number, &origin, &day, &body); err != nil {
				return err
			}
			p, err := profile.Read(bytes.NewReader(body), int64(len(body)), fmt.Sprintf("batch %d of writer %d", number, id))
			if err != nil {
				return errLog(id, number, err)
			}
			part.add(deltaOf(p, origin, fleet.Day(day), s.known.number), number, &after)
			from = number
			n++
			return nil
		}); err != nil {
			return err
		}
		if n == 0 {
			break
		}
		for c := range allChunks {
			if s.isClosing() {
				return nil
			}
			if k := part.take(c); k != nil {
				if err := s.writeChunk(ctx, id, c, k, part.last); err != nil {
					return err
				}
			}
		}
	}
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := s.remove(ctx, tx, id); err != nil {
		return err
	}
	return tx.Commit()
}

// remove removes a writer, all of whose log is in the tables.
func (s *Store) remove(ctx context.Context, tx *sql.Tx, id int64) error {
	for _, text := range []string{"DELETE FROM log WHERE writer = $1", "DELETE FROM written WHERE writer = $1", "DELETE FROM writer WHERE id = $1"} {
		if _, err := tx.ExecContext(ctx, text, id); err != nil {
			return err
		}
	}
	return nil
}

// settleOthers waits until what others have put into their logs up to now is written.
func (s *Store) settleOthers(ctx context.Context) error {
	logs := map[int64]int64{}
	rows, err := s.read.QueryContext(ctx, "SELECT writer, max(number) FROM log WHERE writer <> $1 GROUP BY writer", s.writer)
	if err := each(rows, err, func() error {
		var writer, number int64
		err := rows.Scan(&writer, &number)
		logs[writer] = number
		return err
	}); err != nil {
		return err
	}
	for writer, to := range logs {
		for {
			var n int
			if err := s.read.QueryRowContext(ctx, "SELECT count(*) FROM log WHERE writer = $1 AND number <= $2", writer, to).Scan(&n); err != nil {
				return err
			}
			if n == 0 {
				break
			}
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			case <-s.closing:
				return errClosed
			}
		}
	}
	return nil
}
