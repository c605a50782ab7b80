package store

import (
	"context"
	"time"

	"github.com/markgen/markgen/fleet"
)

// chosen are the origins that a filter chooses.
func (s *Store) chosen(ctx context.Context, q queryer, f *fleet.Filter) (map[int32]fleet.Origin, error) {
	if err := s.loadKnown(ctx, q); err != nil {
		return nil, err
	}
	return s.known.chosen(f), nil
}

// chosen are those that a filter chooses, as far as they are known.
func (k *known) chosen(f *fleet.Filter) map[int32]fleet.Origin {
	k.mu.RLock()
	defer k.mu.RUnlock()
	list := map[int32]fleet.Origin{}
	for id, o := range k.byID {
		if f.FitsOrigin(&o) {
			list[id] = o
		}
	}
	return list
}

// size is how many are known.
func (k *known) size() int {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return len(k.byID)
}

// Origins returns all origins that fit the filter (its Package, Function, Kind and days don't matter), in the order
// in which they came first.
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
	type both struct{ runs, batches int64 }
	sums := map[int64]both{}
	rows, err := tx.QueryContext(ctx, "SELECT origin, runs, batches FROM head")
	if err := each(rows, err, func() error {
		var origin int64
		var b both
		err := rows.Scan(&origin, &b.runs, &b.batches)
		have := sums[origin]
		sums[origin] = both{add(have.runs, b.runs), add(have.batches, b.batches)}
		return err
	}); err != nil {
		return nil, err
	}
	rows, err = tx.QueryContext(ctx, "SELECT id, build, go, goos, goarch, cpu, first, changed FROM origin ORDER BY id")
	err = each(rows, err, func() error {
		var o fleet.OriginSum
		var id, first, changed int64
		if err := rows.Scan(&id, &o.Build, &o.Go, &o.GOOS, &o.GOARCH, &o.CPU, &first, &changed); err != nil {
			return err
		}
		sum, ok := sums[id]
		if !ok || !f.FitsOrigin(&o.Origin) {
			return nil
		}
		o.First, o.Changed = time.UnixMilli(first).UTC(), time.UnixMilli(changed).UTC()
		o.Runs, o.Batches = fromColumn(sum.runs), fromColumn(sum.batches)
		list = append(list, o)
		return nil
	})
	return list, err
}
