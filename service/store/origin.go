package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/markgen/markgen/fleet"
)

// An originKey is the key of statistics besides API and day. Each token has rows of its own, so
// that what it sent can be removed. Users see the rows of all tokens as one origin.
type originKey struct {
	fleet.Origin
	token string // ID of the token that sent the batches; "" if sent without, or by an older version
}

func keyOf(b *fleet.Batch) originKey { return originKey{b.Origin, b.Token} }

// An origin is a row of the table origin.
type origin struct {
	originKey
	same int32 // number of the first origin that differs only in the token; may be its own
}

// origin returns the number of an origin.
func (c *rowCache) origin(o originKey) (id int32, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	id, ok = c.origins[o]
	return id, ok
}

// same returns the number of the first origin that differs from id only in the token.
func (c *rowCache) same(id int32) int32 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.byID[id].same
}

// addOrigin returns the number of an origin, which it adds if it is new, and the number of the
// first that differs only in the token. Numbers are in the order of arrival.
func (s *Store) addOrigin(ctx context.Context, tx transaction, o originKey, n *int64, now int64) (id, same int32, err error) {
	const alike = " FROM origin WHERE build = $1 AND go = $2 AND goos = $3 AND goarch = $4 AND cpu = $5"
	err = tx.QueryRowContext(ctx, "SELECT id, same"+alike+" AND token = $6", o.Build, o.Go, o.GOOS, o.GOARCH, o.CPU, o.token).Scan(&id, &same)
	if err != sql.ErrNoRows {
		return id, same, err
	}
	if *n >= int64(s.options.MaxOrigins) {
		return 0, 0, fmt.Errorf("%w: it has %d origins (builds, each with the kinds of machines it ran on and the tokens it was sent with), and takes no other", ErrFull, *n)
	}
	*n++
	err = tx.QueryRowContext(ctx, "INSERT INTO origin (build, go, goos, goarch, cpu, token, id, same, first, changed) VALUES ($1, $2, $3, $4, $5, $6, $7, COALESCE((SELECT min(id)"+alike+"), $7), $8, $8) RETURNING same",
		o.Build, o.Go, o.GOOS, o.GOARCH, o.CPU, o.token, *n, now).Scan(&same)
	return int32(*n), same, err
}

// chosen returns the origins that a filter selects.
func (s *Store) chosen(ctx context.Context, q queryer, f *fleet.Filter) (map[int32]fleet.Origin, error) {
	if err := s.loadCache(ctx, q); err != nil {
		return nil, err
	}
	return s.cache.chosen(f), nil
}

// chosen returns the cached origins that a filter selects.
func (c *rowCache) chosen(f *fleet.Filter) map[int32]fleet.Origin {
	c.mu.RLock()
	defer c.mu.RUnlock()
	list := map[int32]fleet.Origin{}
	for id, o := range c.byID {
		if f.FitsOrigin(&o.Origin) {
			list[id] = o.Origin
		}
	}
	return list
}

// size returns the number of cached origins.
func (c *rowCache) size() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.byID)
}

// Origins returns the origins that fit the filter (its Package, Function, Kind and days are
// ignored), in the order of arrival.
func (s *Store) Origins(ctx context.Context, f fleet.Filter) ([]fleet.OriginSum, error) {
	list, err := s.origins(ctx, f)
	return list, s.wrap("listing origins", err)
}

func (s *Store) origins(ctx context.Context, f fleet.Filter) (list []fleet.OriginSum, err error) {
	tx, err := s.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	type sum struct{ runs, batches int64 }
	plus := func(a, b sum) sum { return sum{add(a.runs, b.runs), add(a.batches, b.batches)} }
	sums := map[int64]sum{}
	rows, err := tx.QueryContext(ctx, "SELECT origin, runs, batches FROM head")
	if err := each(rows, err, func() error {
		var id int64
		var more sum
		err := rows.Scan(&id, &more.runs, &more.batches)
		sums[id] = plus(sums[id], more)
		return err
	}); err != nil {
		return nil, err
	}
	// Merge origins that differ only in the token.
	at := map[int64]int{} // index in list, by same
	var whole []sum
	rows, err = tx.QueryContext(ctx, "SELECT id, build, go, goos, goarch, cpu, same, first, changed FROM origin ORDER BY id")
	err = each(rows, err, func() error {
		var o fleet.OriginSum
		var id, same, first, changed int64
		if err := rows.Scan(&id, &o.Build, &o.Go, &o.GOOS, &o.GOARCH, &o.CPU, &same, &first, &changed); err != nil {
			return err
		}
		more, ok := sums[id]
		if !ok || !f.FitsOrigin(&o.Origin) {
			return nil
		}
		i, ok := at[same]
		if !ok {
			i, at[same] = len(list), len(list)
			o.First = time.UnixMilli(first).UTC()
			list, whole = append(list, o), append(whole, sum{})
		}
		whole[i] = plus(whole[i], more)
		list[i].Runs, list[i].Batches = fromColumn(whole[i].runs), fromColumn(whole[i].batches)
		if t := time.UnixMilli(changed).UTC(); t.After(list[i].Changed) {
			list[i].Changed = t
		}
		return nil
	})
	return list, err
}
