package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"time"

	"github.com/markgen/markgen/profile"
)

// Folding writes the sum in memory to the tables: chunk by chunk, each in a transaction that also
// records the last log number included. Log rows that all chunks include are deleted.

const (
	maxUnwritten = 2 * time.Second // how long statistics may stay in memory only, if there is time
	pauseFactor  = 3               // folding uses about 1/pauseFactor of the time, unless memory is short
	maxTrim      = 64              // log rows deleted in one transaction
)

// fold writes chunks until the store closes.
func (s *Store) fold() {
	next := 0
	var since [allChunks]time.Time // when the chunk was first seen non-empty
	timer := time.NewTicker(20 * time.Millisecond)
	defer timer.Stop()
	pause := maxUnwritten
	trimmed := true
	for {
		round, wrote, failed := time.Now(), 0, false
		for range allChunks {
			c := next
			next = (next + 1) % allChunks
			urgent := s.urgent()
			if !s.filled(c) {
				since[c] = time.Time{}
				continue
			}
			if since[c].IsZero() {
				since[c] = round
			}
			if !urgent && time.Since(since[c]) < pause {
				continue
			}
			if err := s.foldChunk(c); err != nil {
				failed = true
				s.workerErrors.note(folding, err)
				if s.isClosing() {
					return
				}
				time.Sleep(100 * time.Millisecond)
				break
			}
			s.workerErrors.note(folding, nil)
			since[c] = time.Time{}
			wrote++
		}
		if !failed && (wrote > 0 || !trimmed) {
			err := s.trim()
			trimmed = err == nil
			s.workerErrors.note(folding, err)
		}
		if took := time.Since(round); wrote > allChunks/2 {
			pause = max(maxUnwritten, pauseFactor*took)
		}
		select {
		case <-s.closing:
			return
		case <-s.woken:
		case <-timer.C:
		}
	}
}

// urgent reports whether recent chunks are written too: somebody waits in Settle, or memory is
// short.
func (s *Store) urgent() bool {
	return s.settling.Load() > 0 || s.waiting.Load() > int64(s.options.Memory)/2
}

func (s *Store) filled(c int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[c] != nil || s.sum.chunks[c] != nil
}

// A held is a chunk that is being written.
type held struct {
	*chunk
	to int64 // number of the last batch in it
}

// foldChunk writes a chunk. If that fails the chunk stays held, and is written first the next time.
func (s *Store) foldChunk(c int) error {
	s.mu.Lock()
	h := s.held[c]
	if h == nil {
		k := s.sum.take(c)
		if k == nil {
			s.mu.Unlock()
			return nil
		}
		h = &held{k, s.sum.last}
		s.held[c] = h
	}
	writer, from := s.writer, s.written[c]
	s.mu.Unlock()
	ctx, stop := context.WithTimeout(s.life, time.Minute)
	defer stop()
	err := s.writeChunk(ctx, writer, c, h.chunk, from, h.to)
	if errors.Is(err, errLost) {
		return s.rejoin(ctx, writer)
	}
	if err != nil {
		return err
	}
	s.chunks.Add(1)
	s.wrote.Store(time.Now().UnixNano())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[c] == h {
		s.held[c], s.written[c] = nil, h.to
		s.sum.drop(h.chunk)
		s.waiting.Store(int64(s.sum.bytes))
	}
	return nil
}

// writeChunk writes a chunk, the sum of the log entries in (from, to] of a writer. It returns
// errLost if another process has written the chunk.
func (s *Store) writeChunk(ctx context.Context, writer int64, c int, k *chunk, from, to int64) error {
	tx, err := s.begin(ctx, false)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var number int64
	err = tx.QueryRowContext(ctx, "SELECT number FROM written WHERE writer = $1 AND chunk = $2"+s.forUpdate, writer, c).Scan(&number)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return errLost
	case err != nil:
		return err
	case number == to: // the previous commit succeeded, but returned an error
		return nil
	case number != from:
		return errLost
	}
	if _, err := tx.ExecContext(ctx, "UPDATE written SET number = $1 WHERE writer = $2 AND chunk = $3", to, writer, c); err != nil {
		return err
	}
	var newMarks []uint64
	if c == runChunk {
		err = s.writeRunTotals(ctx, tx, k)
	} else {
		newMarks, err = s.writeCells(ctx, tx, k)
	}
	if err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.reached.add(newMarks)
	return nil
}

// writeRunTotals writes the fields of profiles that are about runs.
func (s *Store) writeRunTotals(ctx context.Context, tx transaction, k *chunk) error {
	now, err := s.clock(ctx, tx)
	if err != nil {
		return err
	}
	var rows []int64
	origins := newRowset([]string{"origin", "now"}, nil)
	last := int32(-1)
	cells, _ := k.sorted()
	for _, key := range cells {
		var row [rowWidth]int64
		runTotals.clear(&row)
		runTotals.unpack(&row, k.value(key))
		rows = append(append(rows, int64(key.origin), int64(key.day)), row[:len(runTotals.columns)]...)
		if key.origin != last {
			last = key.origin
			origins.row([]int64{int64(last), now.UnixMilli()})
		}
	}
	if _, err := tx.exec(ctx, "UPDATE origin SET changed = v.now FROM {rows} WHERE origin.id = v.origin", origins, nil); err != nil {
		return err
	}
	if err := tx.bulk(ctx, runTotals, rows); err != nil {
		return err
	}
	_, err = renumber(ctx, tx)
	return err
}

// An apiSum is what a chunk adds to the sums of an API.
type apiSum struct {
	id                                int64
	runs, count, total, totalHi, most int64
	timed, took, tookHi               int64 // number of times, and their sum including recursive calls
	reported                          int64
}

// writeCells writes the statistics of a chunk and adds them to the sums of its APIs. It returns the
// marks of the pairs that are in the table reach once the transaction is committed.
func (s *Store) writeCells(ctx context.Context, tx transaction, k *chunk) (newMarks []uint64, err error) {
	keys, descriptions := k.sorted()
	var rows [len(byTag)][]int64
	var apis []apiSum // sorted by ID
	for _, key := range keys {
		if n := len(apis); n == 0 || apis[n-1].id != int64(key.api) {
			apis = append(apis, apiSum{id: int64(key.api)})
		}
		a := &apis[len(apis)-1]
		a.add(k.value(key), func(tag uint64, row *[rowWidth]int64) {
			t := byTag[tag%(1<<tagBits)]
			to := append(rows[tag%(1<<tagBits)], int64(key.api), int64(key.origin), int64(key.day))
			sub := int64(tag >> tagBits)
			switch t {
			case buckets:
				to = append(to, sub>>3, sub%8)
			case readings:
				to = append(to, sub)
			case paths:
				to = append(to, sub>>valueBits, sub&(1<<valueBits-1))
			}
			rows[tag%(1<<tagBits)] = append(to, row[:len(t.columns)]...)
		})
	}
	for i, t := range byTag {
		if err := tx.bulk(ctx, t, rows[i]); err != nil {
			return nil, err
		}
	}
	newMarks, err = s.reach(ctx, tx, keys, apis)
	if err != nil {
		return nil, err
	}
	// From here to the commit no other process writes these rows or numbers its changes, so
	// revisions are in the order of the commits.
	revision, err := renumber(ctx, tx)
	if err != nil {
		return nil, err
	}
	now, err := s.clock(ctx, tx)
	if err != nil {
		return nil, err
	}
	update := newRowset([]string{"api", "runs", "count", "total", "total_hi", "timed", "took", "took_hi", "most", "reported", "now", "revision"}, nil)
	for i := range apis {
		a := &apis[i]
		update.row([]int64{a.id, a.runs, a.count, a.total, a.totalHi, a.timed, a.took, a.tookHi, a.most, a.reported, now.UnixMilli(), revision})
	}
	if _, err := tx.exec(ctx, `UPDATE api SET
		runs = `+s.leastFunc+`(api.runs, 9223372036854775807 - v.runs) + v.runs,
		count = `+s.leastFunc+`(api.count, 9223372036854775807 - v.count) + v.count,
		total = (api.total + v.total) & 4611686018427387903,
		total_hi = `+s.leastFunc+`(api.total_hi, 9223372036854775807 - v.total_hi - ((api.total + v.total) >> 62)) + v.total_hi + ((api.total + v.total) >> 62),
		timed = `+s.leastFunc+`(api.timed, 9223372036854775807 - v.timed) + v.timed,
		took = (api.took + v.took) & 4611686018427387903,
		took_hi = `+s.leastFunc+`(api.took_hi, 9223372036854775807 - v.took_hi - ((api.took + v.took) >> 62)) + v.took_hi + ((api.took + v.took) >> 62),
		most = CASE WHEN v.most > api.most THEN v.most ELSE api.most END,
		reported = api.reported + v.reported,
		first = CASE WHEN api.changed = 0 THEN v.now ELSE api.first END, changed = v.now, revision = v.revision
		FROM {rows} WHERE api.id = v.api`, update, nil); err != nil {
		return nil, err
	}
	return newMarks, s.writeDescriptions(ctx, tx, k, descriptions)
}

// add adds the parts of a cell, and calls visit for each.
func (a *apiSum) add(parts []byte, visit func(tag uint64, row *[rowWidth]int64)) {
	var row [rowWidth]int64
	var sum profile.Uint128
	var nested int64
	for len(parts) > 0 {
		tag, n := binary.Uvarint(parts)
		t := byTag[tag%(1<<tagBits)]
		t.clear(&row)
		parts = t.unpack(&row, parts[n:])
		switch {
		case tag == tagCell:
			a.runs, a.count, a.most = add(a.runs, row[cellRuns]), add(a.count, row[cellCount]), max(a.most, row[cellMax])
			nested = row[cellNested]
		case tag%(1<<tagBits) == tagBucket && tag>>tagBits>>3 == seriesTimes:
			for i := range bucketsPerRow {
				a.timed = add(a.timed, row[4*i])
				sum = sum.Add(profile.Uint128{Lo: uint64(row[4*i+1])})
			}
		}
		visit(tag, &row)
	}
	addWide(&a.took, &a.tookHi, sum)
	if _, borrow := bits.Sub64(sum.Lo, uint64(nested), 0); sum.Hi > 0 || borrow == 0 {
		sum = sum.Sub(profile.Uint128{Lo: uint64(nested)})
	} else {
		sum = profile.Uint128{}
	}
	addWide(&a.total, &a.totalHi, sum)
}

// reach adds pairs of API and origin to the table reach, and counts the new origins of each API. It
// skips pairs that this process knows to be in the table.
func (s *Store) reach(ctx context.Context, tx transaction, keys []*entry, apis []apiSum) (newMarks []uint64, err error) {
	var number int64
	if err := tx.QueryRowContext(ctx, "SELECT store FROM identity WHERE id = 1").Scan(&number); err != nil {
		return nil, err
	}
	if before := s.reachedOf.Swap(number); before != number { // statistics have been removed
		s.reached.forget()
	}
	pairs := newRowset([]string{"api", "origin"}, nil)
	for i, key := range keys {
		if i > 0 && keys[i-1].api == key.api && keys[i-1].origin == key.origin {
			continue
		}
		origin := s.cache.same(key.origin)
		if mark := markOf(key.api, uint64(origin)); !s.reached.has(mark) {
			newMarks = append(newMarks, mark)
			pairs.row([]int64{int64(key.api), int64(origin)})
		}
	}
	_, err = tx.exec(ctx, "INSERT INTO reach (api, origin) SELECT v.api, v.origin FROM {rows} WHERE true ON CONFLICT (api, origin) DO NOTHING RETURNING api", pairs,
		func(api int64) {
			i, _ := slices.BinarySearchFunc(apis, api, func(a apiSum, id int64) int { return cmp.Compare(a.id, id) })
			apis[i].reported++
		})
	return newMarks, err
}

// writeDescriptions gives APIs the name and position of the newest run that has them; of runs that
// started in the same hour, of the last one written. A start in the future comes from before the
// clock was set back.
func (s *Store) writeDescriptions(ctx context.Context, tx transaction, k *chunk, descriptions []*entry) error {
	now, err := s.clock(ctx, tx)
	if err != nil {
		return err
	}
	list := newRowset([]string{"api", "hash", "as_of", "origin", "now"}, nil)
	for _, e := range descriptions {
		hash, asOf, origin := k.description(e)
		list.row([]int64{int64(e.api), int64(hash), asOf, int64(origin), now.UnixNano()})
	}
	if _, err := tx.exec(ctx, "UPDATE words SET as_of = v.as_of, origin = v.origin FROM {rows} WHERE words.api = v.api AND words.hash = v.hash AND (words.as_of < v.as_of OR words.as_of > v.now)", list, nil); err != nil {
		return err
	}
	_, err = tx.exec(ctx, `UPDATE api SET name = w.name, package = w.package, kind = w.kind, file = w.file, line = w.line, col = w.col, grp = w.grp, as_of = v.as_of
		FROM words AS w, {rows} WHERE w.api = v.api AND w.hash = v.hash AND api.id = v.api AND (api.as_of <= v.as_of OR api.as_of > v.now)`, list, nil)
	return err
}

// trim deletes log rows that are in all tables.
func (s *Store) trim() error {
	s.mu.Lock()
	to := s.sum.last
	for c := range allChunks {
		if h := s.held[c]; h != nil {
			to = min(to, h.from-1)
		} else if k := s.sum.chunks[c]; k != nil {
			to = min(to, k.from-1)
		}
	}
	from, writer := s.trimmed, s.writer
	s.mu.Unlock()
	for from < to {
		upTo := min(from+maxTrim, to)
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		_, err := s.change(ctx, false, "DELETE FROM log WHERE writer = $1 AND number <= $2", writer, upTo)
		stop()
		if err != nil {
			return err
		}
		from = upTo
	}
	s.mu.Lock()
	s.trimmed = from
	s.mu.Unlock()
	return nil
}
