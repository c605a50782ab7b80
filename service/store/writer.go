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

// Every process that has a store open is a writer, with a number and a log of its own. When one is gone, as its row has not
// been renewed for some time, another takes its log over: what is there, and was only in its memory, is added up
// again and written, chunk by chunk, where that has not been done.
//
// It does not matter whether a writer that is taken for gone lives on. Nothing is put into a log but by its owner, in a
// transaction that has the writer's row locked; and no chunk is written but by who knows up to where it was written before.

var (
	beats = 2 * time.Second  // between two renewals
	lease = 10 * time.Second // after which a writer that has not renewed is taken for gone
)

var errLost = errors.New("other processes took this one for dead, as it did not get to the database for some time")

// who is the writer that this process is.
func (s *Store) who() (writer int64, me []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writer, s.me
}

// join becomes a writer, of an empty log.
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
	me := make([]byte, 16)
	rand.Read(me)
	if _, err := tx.ExecContext(ctx, "INSERT INTO writer (id, owner, beat) VALUES ($1, $2, $3)", id, me, now.UnixMilli()); err != nil {
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
	s.writer, s.me = id, me
	s.sum, s.held, s.written, s.trimmed = sum{}, [allChunks]*held{}, [allChunks]int64{}, 0
	s.waiting.Store(0)
	return nil
}

// rejoin becomes a new writer, if this process is still the one whose log was taken over. What of it is in memory is left to who took it.
func (s *Store) rejoin(ctx context.Context, lost int64) error {
	s.joining.Lock()
	defer s.joining.Unlock()
	if writer, _ := s.who(); writer != lost {
		return nil
	}
	return s.join(ctx)
}

// beat renews a writer's lease, and locks its row. It is errLost when somebody else owns it.
func beat(ctx context.Context, q queryer, writer int64, me []byte, now time.Time) error {
	r, err := q.ExecContext(ctx, "UPDATE writer SET beat = $1 WHERE id = $2 AND owner = $3", now.UnixMilli(), writer, me)
	if err != nil {
		return err
	}
	n, err := r.RowsAffected()
	if err == nil && n == 0 {
		err = errLost
	}
	return err
}

// tend renews the lease, and takes over the logs of writers that are gone, until the store closes.
func (s *Store) tend() {
	tick := time.NewTicker(beats)
	defer tick.Stop()
	swept := time.Now()
	for {
		err := s.renew()
		for again := true; again && err == nil && !s.isClosing(); {
			again, err = s.takeOver()
		}
		if err == nil && time.Since(swept) > sweeps && !s.isClosing() {
			swept = time.Now()
			err = s.maintain(s.life)
		}
		s.trouble.note(tending, err)
		select {
		case <-s.closing:
			return
		case <-tick.C:
		}
	}
}

// renew renews the lease.
func (s *Store) renew() error {
	if !s.shared {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), lease)
	defer stop()
	writer, me := s.who()
	now, err := s.clock(ctx, s.write)
	if err == nil {
		err = beat(ctx, s.write, writer, me, now)
	}
	if errors.Is(err, errLost) {
		err = s.rejoin(ctx, writer)
	}
	return err
}

// takeOver recovers the log of a writer that is gone; again says that there was one.
func (s *Store) takeOver() (again bool, err error) {
	ctx, stop := context.WithTimeout(s.life, time.Minute)
	defer stop()
	now, err := s.clock(ctx, s.read)
	if err != nil {
		return false, err
	}
	// One that has renewed in the future has not done so since the clock was set back.
	before, after := now.Add(-lease).UnixMilli(), now.Add(lease).UnixMilli()
	if !s.shared { // there is no other process
		before = most
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
	me := make([]byte, 16)
	rand.Read(me)
	n, err := s.change(ctx, true, "UPDATE writer SET owner = $1, beat = $2 WHERE id = $3 AND beat = $4", me, now.UnixMilli(), id, beat)
	if n == 0 || err != nil { // another was quicker, or it lives
		return true, err
	}
	err = s.recoverLog(id, me)
	if errors.Is(err, errLost) { // it took so long that another went on
		err = nil
	}
	return true, err
}

// recoverLog writes what is in the log of a writer, which is me now, and removes both.
func (s *Store) recoverLog(id int64, me []byte) error {
	ctx := s.life // each statement has a limit of its own
	if err := s.loadKnown(ctx, s.read); err != nil {
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
					err = beat(ctx, s.write, id, me, now)
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
	if err := s.remove(ctx, tx, id, me); err != nil {
		return err
	}
	return tx.Commit()
}

// readLog adds up what is in a writer's log from a number on, as far as chunks have not been written, and until it takes
// a part of the memory for waiting figures.
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
		part.add(deltaOf(p, hashesOf(p), origin, fleet.Day(day), now, s.known.number), number, written)
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

// remove removes a writer, all of whose log is in the tables.
func (s *Store) remove(ctx context.Context, tx transaction, id int64, me []byte) error {
	r, err := tx.ExecContext(ctx, "DELETE FROM writer WHERE id = $1 AND owner = $2", id, me)
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

// settleOthers waits until what others have put into their logs up to now is written.
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
