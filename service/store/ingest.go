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

// A pending is a batch that waits to be committed.
type pending struct {
	batch  *fleet.Batch
	delta  *delta
	digest []byte
	number int64 // in the log
	new    bool
	err    error // of this batch only; other errors are the group's
	result chan error
}

// origin returns the number of the batch's origin; 0 if the batch is a duplicate.
func (p *pending) origin() int64 {
	if p.delta == nil {
		return 0
	}
	return int64(p.delta.origin)
}

const (
	maxGroup      = 256              // max batches per group
	maxGroupBytes = 8 << 20          // approximate max size of a group's bodies
	ingestTimeout = 30 * time.Second // max wait for memory, and max duration of a commit
)

// Ingest adds a batch, and returns when it is on disk: it survives a crash of this process and of
// the machine. Queries may see its statistics a little later (see Settle). The caller must not
// modify the batch afterwards.
func (s *Store) Ingest(ctx context.Context, b *fleet.Batch) (fleet.Receipt, error) {
	r, err := s.ingest(ctx, b)
	switch {
	case err == nil:
		s.workerErrors.note(ingesting, nil)
	case s.classify(err) != nil: // the database failed, not the batch
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
	b = &fleet.Batch{ID: b.ID, Origin: cleanOrigin(b.Origin), Day: s.storedDay(b.Day, now), Profile: b.Profile, Body: b.Body, Token: b.Token}
	if err := s.room(ctx); err != nil {
		return fleet.Receipt{}, err
	}
	hashes := hashDescriptions(b.Profile)
	newOrigin, err := s.register(ctx, b, hashes)
	if err != nil {
		return fleet.Receipt{}, err
	}
	r := fleet.Receipt{NewOrigin: newOrigin}
	p := &pending{batch: b, digest: digestOf(b), result: make(chan error, 1)}
	at, placed := s.cache.places(b.Profile.Paths)
	if origin, ok := s.cache.origin(keyOf(b)); ok && placed { // otherwise it is a duplicate
		p.delta = deltaOf(b.Profile, hashes, at, origin, b.Day, now, s.cache.number)
	}
	select {
	case s.queue <- p:
	case <-ctx.Done():
		return r, ctx.Err()
	case <-s.closing:
		return r, errClosed
	}
	// Once the batch is in a group an answer always comes, so ctx no longer matters.
	if err := <-p.result; err != nil {
		return r, err
	}
	if r.Known = !p.new; p.new {
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
	ctx, stop := context.WithTimeoutCause(ctx, ingestTimeout, ErrBehind)
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
		case p := <-s.queue:
			s.group(s.gather(p))
		case <-s.closing:
			for {
				select {
				case p := <-s.queue:
					p.result <- errClosed
				default:
					return
				}
			}
		}
	}
}

// gather returns a group: first and the batches that wait already.
func (s *Store) gather(first *pending) []*pending {
	group, size := []*pending{first}, len(first.batch.Body)
	for len(group) < maxGroup && size < maxGroupBytes {
		select {
		case p := <-s.queue:
			group, size = append(group, p), size+len(p.batch.Body)
		default:
			return group
		}
	}
	return group
}

// group commits batches and adds their statistics to the sum.
func (s *Store) group(list []*pending) {
	ctx, stop := context.WithTimeout(context.Background(), ingestTimeout)
	defer stop()
	// All processes lock the same batches in the same order, which avoids deadlocks.
	slices.SortFunc(list, func(a, b *pending) int {
		return cmp.Or(bytes.Compare(a.batch.ID.Run[:], b.batch.ID.Run[:]), cmp.Compare(a.batch.ID.Sequence, b.batch.ID.Sequence), cmp.Compare(a.batch.ID.Build, b.batch.ID.Build))
	})
	writer, uncertain, err := s.log(ctx, list)
	if errors.Is(err, errLost) {
		if err = s.rejoin(ctx, writer); err == nil {
			writer, uncertain, err = s.log(ctx, list)
		}
	}
	if uncertain {
		s.uncertain = list
	}
	if err == nil {
		s.count(writer, list)
		s.wrote.Store(time.Now().UnixNano())
	}
	answer(list, err)
}

// log writes batches to this process's log. uncertain reports that it is unknown whether they were
// committed.
func (s *Store) log(ctx context.Context, list []*pending) (writer int64, uncertain bool, err error) {
	writer, ownerToken := s.who()
	if writer != s.logged { // this process has a new log; whoever took the old one over recovers it
		s.logged, s.number, s.uncertain = writer, 0, nil
	}
	if err := s.resolveUncertain(ctx, writer, ownerToken); err != nil {
		return writer, false, err
	}
	uncertain, err = s.append(ctx, writer, ownerToken, list)
	return writer, uncertain, err
}

// answer sends each batch its result.
func answer(list []*pending, err error) {
	for _, p := range list {
		p.result <- cmp.Or(err, p.err)
	}
}

func (s *Store) append(ctx context.Context, writer int64, ownerToken []byte, list []*pending) (uncertain bool, err error) {
	tx, err := s.begin(ctx, true)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	now, err := s.clock(ctx, tx)
	if err != nil {
		return false, err
	}
	if err := beat(ctx, tx, writer, ownerToken, now); err != nil {
		return false, err
	}
	number := s.number
	for _, p := range list {
		b := p.batch
		run, sequence, build := batchKey(b)
		r, err := tx.ExecContext(ctx, "INSERT INTO batch (run, sequence, build, digest, came, origin, day, token) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (run, sequence, build) DO NOTHING",
			run, sequence, build, p.digest, now.UnixMilli(), p.origin(), int64(b.Day), b.Token)
		if err != nil {
			return false, err
		}
		n, err := r.RowsAffected()
		if err != nil {
			return false, err
		}
		p.new, p.err = n == 1, nil
		if !p.new {
			digest, _, err := s.received(ctx, tx, b)
			if err != nil {
				return false, err
			}
			if !bytes.Equal(digest, p.digest) {
				p.err = fmt.Errorf("batch %d of run %s: %w", b.ID.Sequence, b.ID.Run, ErrConflict)
			}
			continue
		}
		if p.delta == nil { // registered as a duplicate, whose ID was then forgotten
			return false, errors.New("the batch's identity has just been given up as too old; send it again")
		}
		number++
		p.number = number
		if _, err := tx.ExecContext(ctx, "INSERT INTO log (writer, number, origin, day, body) VALUES ($1, $2, $3, $4, $5)",
			writer, number, p.delta.origin, int64(b.Day), b.Body); err != nil {
			return false, err
		}
	}
	s.number = number
	if err := tx.Commit(); err != nil {
		return true, err
	}
	return false, nil
}

// received reports whether a batch was received before, and returns the digest of its body.
func (s *Store) received(ctx context.Context, q queryer, b *fleet.Batch) (digest []byte, known bool, err error) {
	run, sequence, build := batchKey(b)
	err = q.QueryRowContext(ctx, "SELECT digest FROM batch WHERE run = $1 AND sequence = $2 AND build = $3", run, sequence, build).Scan(&digest)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return digest, err == nil, err
}

// count adds the statistics of batches that are in the log to the sum.
func (s *Store) count(writer int64, list []*pending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer != writer { // another process took the log over
		return
	}
	for _, p := range list {
		if p.new {
			s.sum.add(p.delta, p.number, nil)
		}
	}
	s.waiting.Store(int64(s.sum.bytes))
}

// resolveUncertain finds out which batches of a group whose commit returned an error are in the
// log. Once the writer's row is locked, no earlier commit of this process can still be in flight.
func (s *Store) resolveUncertain(ctx context.Context, writer int64, ownerToken []byte) error {
	if s.uncertain == nil {
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
	if err := beat(ctx, tx, writer, ownerToken, now); err != nil {
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
	for _, p := range s.uncertain {
		p.new = p.new && there[p.number]
	}
	s.count(writer, s.uncertain)
	s.uncertain = nil
	return nil
}
