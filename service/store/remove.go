package store

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
)

// Statistics can be removed by origin, token and day, which are their keys. A batch's keys are
// known, but not which part of the sums is its own.

// A Removal selects what to remove: statistics by origin and days, of all tokens or of one; or, if
// Run is set, all statistics of the token, origins and days of that run's batches.
type Removal struct {
	Origins fleet.Filter // Build, Go, GOOS, GOARCH, CPU, From and To
	Token   string       // ID of the token that sent the statistics; "" for any
	Run     *fleet.RunID // nil for any
	Dry     bool         // remove nothing, only return what would be
}

// Removed is the result of a removal.
type Removed struct {
	Days    int    `json:"days"`    // days, summed over origins: two origins on three days are six
	Batches uint64 `json:"batches"` // whose statistics are removed
	APIs    int    `json:"apis"`    // that lost statistics
}

// Remove removes statistics. An API that has none left is no longer listed; if it still has some,
// its name and position are those of the newest run of another origin, or else of the next batch
// that has it. Clients that follow the catalogue by cursor have to start over. Removed batches stay
// known: sending them again does not count them. After an error a part may be removed; repeat the
// call for the rest.
func (s *Store) Remove(ctx context.Context, r Removal) (Removed, error) {
	if r.Run != nil && r.Token != "" {
		return Removed{}, errors.New("removing figures: a run is of one token; give one of them")
	}
	done, err := s.removeFigures(ctx, r)
	return done, s.wrap("removing figures", err)
}

// A pairs is a set of pairs of origin and day.
type pairs map[[2]int64]bool

func (p pairs) rows() *rowset {
	list := newRowset([]string{"origin", "day"}, nil)
	for _, pair := range slices.SortedFunc(maps.Keys(p), func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) }) {
		list.row(pair[:])
	}
	return list
}

func (s *Store) removeFigures(ctx context.Context, r Removal) (done Removed, err error) {
	if err := s.settle(ctx); err != nil { // now the tables include all earlier batches
		return done, err
	}
	which, err := s.contributions(ctx, r)
	if err != nil || len(which) == 0 {
		return done, err
	}
	done.Days = len(which)
	// Invalidate cursors now and at the end: what is read in between is neither the old state nor
	// the new. Servers also drop what they remember of the table reach.
	if !r.Dry {
		if err := s.redrawIdentity(ctx, nil); err != nil {
			return done, err
		}
	}
	for c := range chunks {
		n, err := s.removeChunk(ctx, c, which, r.Dry)
		if done.APIs += n; err != nil {
			return done, err
		}
	}
	batches := func(tx transaction) error {
		return which.take(ctx, tx, "head", "batches", "", r.Dry, func(n int64) { done.Batches += fromColumn(n) })
	}
	if r.Dry {
		tx, err := s.begin(ctx, false)
		if err != nil {
			return done, err
		}
		defer tx.Rollback()
		return done, batches(tx)
	}
	return done, s.redrawIdentity(ctx, batches)
}

// take deletes the rows of a table with these origins and days, and calls visit with one column of
// each. With dry it only reads them.
func (p pairs) take(ctx context.Context, tx transaction, table, column, where string, dry bool, visit func(int64)) error {
	from, returning := "DELETE FROM "+table, " RETURNING "+column
	if dry {
		from, returning = "SELECT "+column+" FROM "+table, ""
	}
	_, err := tx.exec(ctx, from+" WHERE "+where+"EXISTS (SELECT 1 FROM {rows} WHERE v.origin = "+table+".origin AND v.day = "+table+".day)"+returning, p.rows(), visit)
	return err
}

// contributions returns the origins and days that a removal selects.
func (s *Store) contributions(ctx context.Context, r Removal) (pairs, error) {
	if err := s.loadCache(ctx, s.read); err != nil {
		return nil, err
	}
	f := r.Origins
	f.Package, f.Function, f.Kind = "", "", ""
	chosen := s.cache.chosen(&f)
	from, to := days(&f)
	text, args := "SELECT origin, day FROM head WHERE day >= $1 AND day <= $2", []any{from, to}
	switch {
	case r.Run != nil:
		text, args = "SELECT DISTINCT origin, day FROM batch WHERE run = $1", []any{r.Run[:]}
	case r.Token != "":
		text, args = text+" AND origin IN (SELECT id FROM origin WHERE token = $3)", append(args, r.Token)
	case f == fleet.Filter{}:
		return nil, errors.New("all figures there are would be removed; say which")
	}
	list := pairs{}
	rows, err := s.read.QueryContext(ctx, text, args...)
	err = each(rows, err, func() error {
		var origin, day int64
		err := rows.Scan(&origin, &day)
		if _, ok := chosen[int32(origin)]; ok {
			list[[2]int64{origin, day}] = true
			if r.Run != nil { // may be merged into its month by now
				list[[2]int64{origin, int64(monthOf(fleet.Day(day)))}] = true
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	// Keep only pairs that exist.
	there := pairs{}
	rows, err = s.read.QueryContext(ctx, "SELECT origin, day FROM head")
	err = each(rows, err, func() error {
		var pair [2]int64
		err := rows.Scan(&pair[0], &pair[1])
		there[pair] = list[pair]
		return err
	})
	maps.DeleteFunc(there, func(_ [2]int64, is bool) bool { return !is })
	return there, err
}

// redrawIdentity draws a new identity for the store, which invalidates cursors, in one transaction
// with also.
func (s *Store) redrawIdentity(ctx context.Context, also func(transaction) error) error {
	tx, err := s.begin(ctx, true)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := s.liftStatementLimit(ctx, tx); err != nil {
		return err
	}
	if also != nil {
		if err := also(tx); err != nil {
			return err
		}
	}
	if _, err := renumber(ctx, tx); err != nil {
		return err
	}
	var random [8]byte
	rand.Read(random[:])
	if _, err := tx.ExecContext(ctx, "UPDATE identity SET store = $1 WHERE id = 1", int64(binary.LittleEndian.Uint64(random[:])>>1)); err != nil {
		return err
	}
	return tx.Commit()
}

// removeChunk removes the statistics of a chunk's APIs, unless dry, and returns the number of APIs
// that had some.
func (s *Store) removeChunk(ctx context.Context, c int, which pairs, dry bool) (n int, err error) {
	tx, err := s.begin(ctx, false)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	if err := s.liftStatementLimit(ctx, tx); err != nil {
		return 0, err
	}
	from := int64(uint64(c) << 56)
	within := fmt.Sprintf("api > %d AND api <= %d", from-1, from+1<<56-1)
	if uint64(c) == chunks/2 { // from-1 overflows
		within = fmt.Sprintf("api <= %d", from+1<<56-1)
	}
	had, some := map[int64]bool{}, false
	for _, t := range byTag {
		if err := which.take(ctx, tx, t.name, "api", within+" AND ", dry, func(api int64) {
			some = true
			if api != 0 { // 0 is of paths beyond a limit of nodes
				had[api] = true
			}
		}); err != nil {
			return 0, err
		}
	}
	if dry || !some {
		return len(had), nil
	}
	origins := newRowset([]string{"origin", "same"}, nil)
	for _, origin := range slices.Sorted(maps.Keys(which.origins())) {
		origins.row([]int64{origin, int64(s.cache.same(int32(origin)))})
	}
	if _, err := tx.exec(ctx, "DELETE FROM reach WHERE "+within+" AND origin IN (SELECT v.same FROM {rows}) AND NOT EXISTS (SELECT 1 FROM cell JOIN origin ON origin.id = cell.origin WHERE cell.api = reach.api AND origin.same = reach.origin)", origins, nil); err != nil {
		return 0, err
	}
	if _, err := tx.exec(ctx, "UPDATE words SET as_of = -1 WHERE "+within+" AND origin IN (SELECT v.origin FROM {rows})", origins, nil); err != nil {
		return 0, err
	}
	revision, err := renumber(ctx, tx)
	if err != nil {
		return 0, err
	}
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(had)), apisPerRead) {
		if err := s.recomputeSums(ctx, tx, ids, revision); err != nil {
			return 0, err
		}
	}
	return len(had), tx.Commit()
}

func (p pairs) origins() map[int64]bool {
	list := map[int64]bool{}
	for pair := range p {
		list[pair[0]] = true
	}
	return list
}

// recomputeSums recomputes the sums of APIs from their statistics, and gives them their newest
// remaining name and position.
func (s *Store) recomputeSums(ctx context.Context, tx transaction, ids []int64, revision int64) error {
	if err := s.loadCache(ctx, tx); err != nil { // other servers may have added origins
		return err
	}
	type cell struct {
		apiSum
		times  profile.Uint128
		nested int64
	}
	type key struct {
		api, day int64
		origin   int32
	}
	cells := map[key]*cell{}
	if err := s.scanCells(ctx, tx, ids, nil, &fleet.Filter{}, func(api int64, origin int32, day int64, tag uint64, row []int64) {
		at := key{api, day, origin}
		if cells[at] == nil {
			cells[at] = &cell{}
		}
		c := cells[at]
		switch {
		case tag == tagCell:
			c.runs, c.count, c.nested, c.most = row[cellRuns], row[cellCount], row[cellNested], row[cellMax]
		case tag%(1<<tagBits) == tagBucket && tag>>tagBits>>3 == seriesTimes:
			for i := range bucketsPerRow {
				c.timed = add(c.timed, row[4*i])
				c.times = c.times.Add(profile.Uint128{Lo: uint64(row[4*i+1])})
			}
		}
	}); err != nil {
		return err
	}
	sums := map[int64]*apiSum{}
	origins := map[int64]map[int32]bool{}
	for at, c := range cells {
		a := sums[at.api]
		if a == nil {
			a, origins[at.api] = &apiSum{}, map[int32]bool{}
			sums[at.api] = a
		}
		origins[at.api][s.cache.same(at.origin)] = true
		a.runs, a.count, a.timed, a.most = add(a.runs, c.runs), add(a.count, c.count), add(a.timed, c.timed), max(a.most, c.most)
		addWide(&a.took, &a.tookHi, c.times)
		if nested := (profile.Uint128{Lo: uint64(c.nested)}); !c.times.Less(nested) {
			addWide(&a.total, &a.totalHi, c.times.Sub(nested))
		}
	}
	update := newRowset([]string{"api", "runs", "count", "total", "total_hi", "timed", "took", "took_hi", "most", "reported", "left_some", "revision"}, nil)
	for _, id := range ids {
		a, some := sums[id], int64(1)
		if a == nil {
			a, some = &apiSum{}, 0
		}
		update.row([]int64{id, a.runs, a.count, a.total, a.totalHi, a.timed, a.took, a.tookHi, a.most, int64(len(origins[id])), some, revision})
	}
	// Hide an API without statistics, as before it had any.
	if _, err := tx.exec(ctx, `UPDATE api SET runs = v.runs, count = v.count, total = v.total, total_hi = v.total_hi, timed = v.timed, took = v.took, took_hi = v.took_hi,
		most = v.most, reported = v.reported, revision = v.revision * v.left_some, changed = api.changed * v.left_some, first = api.first * v.left_some, as_of = -1
		FROM {rows} WHERE api.id = v.api`, update, nil); err != nil {
		return err
	}
	list := newRowset([]string{"api"}, nil)
	for _, id := range ids {
		list.row([]int64{id})
	}
	_, err := tx.exec(ctx, `UPDATE api SET name = w.name, package = w.package, kind = w.kind, file = w.file, line = w.line, col = w.col, grp = w.grp, as_of = w.as_of
		FROM words AS w, {rows} WHERE w.api = v.api AND api.id = v.api AND w.as_of >= 0
		AND NOT EXISTS (SELECT 1 FROM words AS o WHERE o.api = w.api AND (o.as_of, o.hash) > (w.as_of, w.hash))`, list, nil)
	return err
}
