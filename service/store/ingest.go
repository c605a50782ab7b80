package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/markgen/markgen/fleet"
)

// Concurrent batches are committed in groups. A batch gets a row in the table batch, by which
// duplicates are detected, and one in the log with its body, which stays until its statistics are
// in the tables.

// A coming is a batch that waits to be committed.
type coming struct {
	batch  *fleet.Batch
	delta  *delta
	digest []byte
	number int64 // in the log
	new    bool
	err    error // of this batch only; other errors are the group's
	result chan error
}

// origin returns the number of the batch's origin; 0 if the batch is a duplicate.
func (c *coming) origin() int64 {
	if c.delta == nil {
		return 0
	}
	return int64(c.delta.origin)
}

const (
	groupMost  = 256     // max batches per group
	groupBytes = 8 << 20 // approximate max size of a group's bodies
	behind     = 30 * time.Second
)

// Ingest adds a batch, and returns when it is on disk: it survives a crash of this process and of
// the machine. Queries may see its statistics a little later (see Settle). The caller must not
// modify the batch afterwards.
func (s *Store) Ingest(ctx context.Context, b *fleet.Batch) (fleet.Receipt, error) {
	r, err := s.ingest(ctx, b)
	switch {
	case err == nil:
		s.workerErrors.note(ingesting, nil)
	case s.kind(err) != nil: // the database failed, not the batch
		s.workerErrors.note(ingesting, err)
	}
	return r, s.wrap("taking a batch", err)
}

func (s *Store) ingest(ctx context.Context, b *fleet.Batch) (fleet.Receipt, error) {
	if b.Profile == nil || len(b.Body) == 0 {
		return fleet.Receipt{}, errors.New("a batch without figures, or without its bytes")
	}
	now, err := s.clock(ctx, s.read)
	if err != nil {
		return fleet.Receipt{}, err
	}
	b = &fleet.Batch{ID: b.ID, Origin: cleanOrigin(b.Origin), Day: s.under(b.Day, now), Profile: b.Profile, Body: b.Body, Token: b.Token}
	if err := s.room(ctx); err != nil {
		return fleet.Receipt{}, err
	}
	hashes := hashDescriptions(b.Profile)
	newOrigin, err := s.register(ctx, b, hashes)
	if err != nil {
		return fleet.Receipt{}, err
	}
	r := fleet.Receipt{NewOrigin: newOrigin}
	c := &coming{batch: b, digest: digestOf(b), result: make(chan error, 1)}
	if origin, ok := s.cache.origin(keyOf(b)); ok { // otherwise it is a duplicate
		c.delta = deltaOf(b.Profile, hashes, origin, b.Day, now, s.cache.number)
	}
	select {
	case s.comings <- c:
	case <-ctx.Done():
		return r, ctx.Err()
	case <-s.closing:
		return r, errClosed
	}
	// Once the batch is in a group an answer always comes, so ctx no longer matters.
	if err := <-c.result; err != nil {
		return r, err
	}
	if r.Known = !c.new; c.new {
		r.Markers = len(b.Profile.Markers)
	}
	return r, nil
}

// room waits until there is memory for another batch.
func (s *Store) room(ctx context.Context) error {
	if s.waiting.Load() < int64(s.options.Memory) {
		return nil
	}
	s.wake()
	ctx, stop := context.WithTimeoutCause(ctx, behind, ErrBehind)
	defer stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for s.waiting.Load() >= int64(s.options.Memory) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), ErrBehind) {
				if err := s.workerErrors.any(); err != nil { // the reason that memory stays full
					return err
				}
			}
			return context.Cause(ctx)
		case <-s.closing:
			return errClosed
		}
	}
	return nil
}

// commit commits groups of batches until the store closes.
func (s *Store) commit() {
	for {
		select {
		case c := <-s.comings:
			s.group(s.gather(c))
		case <-s.closing:
			for {
				select {
				case c := <-s.comings:
					c.result <- errClosed
				default:
					return
				}
			}
		}
	}
}

// gather returns a group: first and the batches that wait already.
func (s *Store) gather(first *coming) []*coming {
	group, size := []*coming{first}, len(first.batch.Body)
	for len(group) < groupMost && size < groupBytes {
		select {
		case c := <-s.comings:
			group, size = append(group, c), size+len(c.batch.Body)
		default:
			return group
		}
	}
	return group
}

// group commits batches and adds their statistics to the sum.
func (s *Store) group(list []*coming) {
	ctx, stop := context.WithTimeout(context.Background(), behind)
	defer stop()
	// All processes lock the same batches in the same order, which avoids deadlocks.
	slices.SortFunc(list, func(a, b *coming) int {
		return cmp.Or(bytes.Compare(a.batch.ID.Run[:], b.batch.ID.Run[:]), cmp.Compare(a.batch.ID.Sequence, b.batch.ID.Sequence), cmp.Compare(a.batch.ID.Build, b.batch.ID.Build))
	})
	writer, doubt, err := s.log(ctx, list)
	if errors.Is(err, errLost) {
		if err = s.rejoin(ctx, writer); err == nil {
			writer, doubt, err = s.log(ctx, list)
		}
	}
	if doubt {
		s.doubt = list
	}
	if err == nil {
		s.count(writer, list)
		s.wrote.Store(time.Now().UnixNano())
	}
	answer(list, err)
}

// log writes batches to this process's log. doubt reports that it is unknown whether they were
// committed.
func (s *Store) log(ctx context.Context, list []*coming) (writer int64, doubt bool, err error) {
	writer, me := s.who()
	if writer != s.logged { // this process has a new log; whoever took the old one over recovers it
		s.logged, s.number, s.doubt = writer, 0, nil
	}
	if err := s.settleDoubt(ctx, writer, me); err != nil {
		return writer, false, err
	}
	doubt, err = s.append(ctx, writer, me, list)
	return writer, doubt, err
}

// answer sends each batch its result.
func answer(list []*coming, err error) {
	for _, c := range list {
		c.result <- cmp.Or(err, c.err)
	}
}

func (s *Store) append(ctx context.Context, writer int64, me []byte, list []*coming) (doubt bool, err error) {
	tx, err := s.begin(ctx, true)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	now, err := s.clock(ctx, tx)
	if err != nil {
		return false, err
	}
	if err := beat(ctx, tx, writer, me, now); err != nil {
		return false, err
	}
	number := s.number
	for _, c := range list {
		b := c.batch
		run, sequence, build := batchKey(b)
		r, err := tx.ExecContext(ctx, "INSERT INTO batch (run, sequence, build, digest, came, origin, day, token) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (run, sequence, build) DO NOTHING",
			run, sequence, build, c.digest, now.UnixMilli(), c.origin(), int64(b.Day), b.Token)
		if err != nil {
			return false, err
		}
		n, err := r.RowsAffected()
		if err != nil {
			return false, err
		}
		c.new, c.err = n == 1, nil
		if !c.new {
			digest, _, err := s.came(ctx, tx, b)
			if err != nil {
				return false, err
			}
			if !bytes.Equal(digest, c.digest) {
				c.err = fmt.Errorf("batch %d of run %s: %w", b.ID.Sequence, b.ID.Run, ErrConflict)
			}
			continue
		}
		if c.delta == nil { // registered as a duplicate, whose ID was then forgotten
			return false, errors.New("the batch's identity has just been given up as too old; send it again")
		}
		number++
		c.number = number
		if _, err := tx.ExecContext(ctx, "INSERT INTO log (writer, number, origin, day, body) VALUES ($1, $2, $3, $4, $5)",
			writer, number, c.delta.origin, int64(b.Day), b.Body); err != nil {
			return false, err
		}
	}
	s.number = number
	if err := tx.Commit(); err != nil {
		return true, err
	}
	return false, nil
}

// came reports whether a batch was received before, and returns the digest of its body.
func (s *Store) came(ctx context.Context, q queryer, b *fleet.Batch) (digest []byte, known bool, err error) {
	run, sequence, build := batchKey(b)
	err = q.QueryRowContext(ctx, "SELECT digest FROM batch WHERE run = $1 AND sequence = $2 AND build = $3", run, sequence, build).Scan(&digest)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return digest, err == nil, err
}

// count adds the statistics of batches that are in the log to the sum.
func (s *Store) count(writer int64, list []*coming) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer != writer { // another process took the log over
		return
	}
	for _, c := range list {
		if c.new {
			s.sum.add(c.delta, c.number, nil)
		}
	}
	s.waiting.Store(int64(s.sum.bytes))
}

// settleDoubt finds out which batches of a group whose commit returned an error are in the log.
// Once the writer's row is locked, no earlier commit of this process can still be in flight.
func (s *Store) settleDoubt(ctx context.Context, writer int64, me []byte) error {
	if s.doubt == nil {
		return nil
	}
	tx, err := s.begin(ctx, true)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	now, err := s.clock(ctx, tx)
	if err != nil {
		return err
	}
	if err := beat(ctx, tx, writer, me, now); err != nil {
		return err
	}
	s.mu.Lock()
	last := s.sum.last
	s.mu.Unlock()
	there := map[int64]bool{}
	rows, err := tx.QueryContext(ctx, "SELECT number FROM log WHERE writer = $1 AND number > $2", writer, last)
	if err := each(rows, err, func() error {
		var n int64
		err := rows.Scan(&n)
		there[n] = true
		return err
	}); err != nil {
		return err
	}
	for _, c := range s.doubt {
		c.new = c.new && there[c.number]
	}
	s.count(writer, s.doubt)
	s.doubt = nil
	return nil
}
