package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile/codec"
)

// Every process that opens a store is a writer, with a number and a log. When a writer does not
// renew its lease, another process takes its log over: it adds up the log entries, which were only
// in the writer's memory, and writes the chunks that the tables lack.
//
// It does no harm if the old process is still alive: log entries are added only in a transaction
// that has locked the writer's row as its owner, and a chunk is written only by a process that
// knows the last log number it includes.

var (
	renewInterval = 2 * time.Second
	lease         = 10 * time.Second // a writer that has not renewed for so long is considered dead
)

var errLost = errors.New("other processes took this one for dead, as it did not get to the database for some time")

// who returns this process's number as a writer, and its proof of ownership.
func (s *Store) who() (writer int64, ownerToken []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writer, s.ownerToken
}

// join becomes a new writer with an empty log.
func (s *Store) join(ctx context.Context) error {
	tx, err := s.begin(ctx, true)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	now, err := s.clock(ctx, tx)
	if err != nil {
		return err
	}
	var id int64
	if err := tx.QueryRowContext(ctx, "UPDATE total SET writers = writers + 1 WHERE id = 1 RETURNING writers").Scan(&id); err != nil {
		return err
	}
	ownerToken := make([]byte, 16)
	rand.Read(ownerToken)
	if _, err := tx.ExecContext(ctx, "INSERT INTO writer (id, owner, beat) VALUES ($1, $2, $3)", id, ownerToken, now.UnixMilli()); err != nil {
		return err
	}
	list := newRowset([]string{"chunk"}, nil)
	for c := range int64(allChunks) {
		list.row([]int64{c})
	}
	if _, err := tx.exec(ctx, fmt.Sprintf("INSERT INTO written (writer, chunk, number) SELECT %d, v.chunk, 0 FROM {rows} WHERE true", id), list, nil); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writer, s.ownerToken = id, ownerToken
	s.sum, s.held, s.written, s.trimmed = sum{}, [allChunks]*held{}, [allChunks]int64{}, 0
	s.waiting.Store(0)
	return nil
}

// rejoin becomes a new writer, unless that has been done since lost was taken over. The process
// that took it over recovers what is in memory here.
func (s *Store) rejoin(ctx context.Context, lost int64) error {
	s.joining.Lock()
	defer s.joining.Unlock()
	if writer, _ := s.who(); writer != lost {
		return nil
	}
	return s.join(ctx)
}

// beat renews a writer's lease and locks its row. It returns errLost if another process owns it.
func beat(ctx context.Context, q queryer, writer int64, ownerToken []byte, now time.Time) error {
	r, err := q.ExecContext(ctx, "UPDATE writer SET beat = $1 WHERE id = $2 AND owner = $3", now.UnixMilli(), writer, ownerToken)
	if err != nil {
		return err
	}
	n, err := r.RowsAffected()
	if err == nil && n == 0 {
		err = errLost
	}
	return err
}

// tend renews the lease, takes over logs of dead writers, and runs maintenance, until the store
// closes.
func (s *Store) tend() {
	tick := time.NewTicker(renewInterval)
	defer tick.Stop()
	maintained := time.Now()
	for {
		err := s.renew()
		for again := true; again && err == nil && !s.isClosing(); {
			again, err = s.takeOver()
		}
		if err == nil && time.Since(maintained) > maintenanceInterval && !s.isClosing() {
			maintained = time.Now()
			err = s.maintain(s.life)
		}
		s.workerErrors.note(maintaining, err)
		select {
		case <-s.closing:
			return
		case <-tick.C:
		}
	}
}

// renew renews the lease, in a shared database.
func (s *Store) renew() error {
	if !s.shared {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), lease)
	defer stop()
	writer, ownerToken := s.who()
	now, err := s.clock(ctx, s.write)
	if err == nil {
		err = beat(ctx, s.write, writer, ownerToken, now)
	}
	if errors.Is(err, errLost) {
		err = s.rejoin(ctx, writer)
	}
	return err
}

// takeOver recovers the log of a dead writer; again reports whether there was one.
func (s *Store) takeOver() (again bool, err error) {
	ctx, stop := context.WithTimeout(s.life, time.Minute)
	defer stop()
	now, err := s.clock(ctx, s.read)
	if err != nil {
		return false, err
	}
	// A lease in the future is from before the clock was set back.
	before, after := now.Add(-lease).UnixMilli(), now.Add(lease).UnixMilli()
	if !s.shared { // all other writers are dead
		before = maxColumn
	}
	writer, _ := s.who()
	var id, beat int64
	err = s.read.QueryRowContext(ctx, "SELECT id, beat FROM writer WHERE (beat < $1 OR beat > $2) AND id <> $3 ORDER BY id LIMIT 1", before, after, writer).Scan(&id, &beat)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	ownerToken := make([]byte, 16)
	rand.Read(ownerToken)
	n, err := s.change(ctx, true, "UPDATE writer SET owner = $1, beat = $2 WHERE id = $3 AND beat = $4", ownerToken, now.UnixMilli(), id, beat)
	if n == 0 || err != nil { // another process was quicker, or the writer lives
		return true, err
	}
	err = s.recoverLog(id, ownerToken)
	if errors.Is(err, errLost) { // it took so long that another process took over
		err = nil
	}
	return true, err
}

// recoverLog writes the log of writer id, which has ownerToken now, to the tables, and removes the
// writer.
func (s *Store) recoverLog(id int64, ownerToken []byte) error {
	ctx := s.life // each statement has its own limit
	if err := s.loadCache(ctx, s.read); err != nil {
		return err
	}
	var written [allChunks]int64
	rows, err := s.read.QueryContext(ctx, "SELECT chunk, number FROM written WHERE writer = $1", id)
	if err := each(rows, err, func() error {
		var c, n int64
		err := rows.Scan(&c, &n)
		if c >= 0 && c < allChunks {
			written[c] = n
		}
		return err
	}); err != nil {
		return err
	}
	for from := int64(0); ; {
		part, err := s.readLog(ctx, id, from, &written)
		if err != nil {
			return err
		}
		if part.last == 0 {
			break
		}
		for c := range allChunks {
			if s.isClosing() {
				return nil
			}
			k := part.take(c)
			if k == nil {
				continue
			}
			if c%16 == 0 {
				now, err := s.clock(ctx, s.write)
				if err == nil {
					err = beat(ctx, s.write, id, ownerToken, now)
				}
				if err != nil {
					return err
				}
			}
			if err := s.writeChunk(ctx, id, c, k, written[c], part.last); err != nil {
				return err
			}
			written[c] = part.last
		}
		from = part.last
	}
	tx, err := s.begin(ctx, true)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := s.remove(ctx, tx, id, ownerToken); err != nil {
		return err
	}
	return tx.Commit()
}

// readLog adds up a writer's log from a number on, without the chunks that are written, until the
// sum uses a quarter of Options.Memory.
func (s *Store) readLog(ctx context.Context, writer, from int64, written *[allChunks]int64) (*sum, error) {
	part := &sum{}
	full := errors.New("full")
	now, err := s.clock(ctx, s.read)
	if err != nil {
		return nil, err
	}
	rows, err := s.read.QueryContext(ctx, "SELECT number, origin, day, body FROM log WHERE writer = $1 AND number > $2 ORDER BY number", writer, from)
	err = each(rows, err, func() error {
		var number int64
		var origin, day int32
		var body []byte
		if err := rows.Scan(&number, &origin, &day, &body); err != nil {
			return err
		}
		p, err := codec.Decode(body, "batch")
		if err != nil {
			return fmt.Errorf("batch %d of writer %d in the log: %w", number, writer, err)
		}
		at, _ := s.cache.places(p.Paths)
		part.add(deltaOf(p, hashDescriptions(p), at, origin, fleet.Day(day), now, s.cache.number), number, written)
		if part.bytes > s.options.Memory/4 {
			return full
		}
		return nil
	})
	if errors.Is(err, full) {
		err = nil
	}
	return part, err
}

// remove removes a writer. All of its log must be in the tables.
func (s *Store) remove(ctx context.Context, tx transaction, id int64, ownerToken []byte) error {
	r, err := tx.ExecContext(ctx, "DELETE FROM writer WHERE id = $1 AND owner = $2", id, ownerToken)
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errLost)
	}
	for _, text := range []string{"DELETE FROM log WHERE writer = $1", "DELETE FROM written WHERE writer = $1"} {
		if _, err := tx.ExecContext(ctx, text, id); err != nil {
			return err
		}
	}
	return nil
}

// settleOthers waits until the log entries that other writers have now are written.
func (s *Store) settleOthers(ctx context.Context) error {
	logs := map[int64]int64{}
	writer, _ := s.who()
	rows, err := s.read.QueryContext(ctx, "SELECT writer, max(number) FROM log WHERE writer <> $1 GROUP BY writer", writer)
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
