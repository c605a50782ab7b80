package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// days returns the first and last day of a filter.
func days(f *fleet.Filter) (from, to int64) {
	from, to = int64(f.From), int64(f.To)
	if f.From == 0 {
		from = math.MinInt32
	}
	if f.To == 0 {
		to = math.MaxInt32
	}
	return from, to
}

const apiColumns = "id, name, package, kind, file, line, col, grp, as_of, first, changed, runs, count, total, total_hi, timed, took, took_hi, most, reported, revision"

// An apiRow is a row of the table api.
type apiRow struct {
	fleet.API
	col      int
	group    string
	asOf     int64
	revision int64
}

func (a *apiRow) scan(rows interface{ Scan(...any) error }) error {
	var id, first, changed, runs, count, total, totalHi, timed, took, tookHi, most int64
	if err := rows.Scan(&id, &a.Name, &a.Package, &a.Kind, &a.File, &a.Line, &a.col, &a.group, &a.asOf, &first, &changed, &runs, &count, &total, &totalHi, &timed, &took, &tookHi, &most, &a.Origins, &a.revision); err != nil {
		return err
	}
	a.ID = registry.ID(id)
	a.First, a.Changed = time.UnixMilli(first).UTC(), time.UnixMilli(changed).UTC()
	a.Runs, a.Count, a.TotalNS, a.MaxNS = fromColumn(runs), fromColumn(count), fromColumns(total, totalHi), fromColumn(most)
	if timed > 0 {
		a.MeanNS = fromColumns(took, tookHi).Float64() / float64(fromColumn(timed))
	}
	return nil
}

// marker returns the API as a marker without statistics.
func (a *apiRow) marker() profile.Marker {
	m := profile.Marker{ID: a.ID, Name: a.Name, Package: a.Package, Kind: a.Kind, File: a.File, Line: a.Line, Col: a.col, Group: a.group}
	m.AsOf = max(0, a.asOf)
	return m
}

// Changed calls visit for the APIs that changed after the cursor, at most limit of them (0 means
// all), and returns the cursor for the next call. An API that has not changed may be visited again;
// one that has is never left out.
func (s *Store) Changed(ctx context.Context, after Cursor, limit int, visit func(*fleet.API) error) (next Cursor, more bool, err error) {
	next, more, err = s.changed(ctx, after, limit, visit)
	return next, more, s.wrap("looking what has changed", err)
}

// A change has a revision number, and an API has the revision of its last change. A cursor consists
// of revision and ID of the last API visited, and the store's identity, which cursors of earlier
// versions lack.
func (s *Store) changed(ctx context.Context, after Cursor, limit int, visit func(*fleet.API) error) (next Cursor, more bool, err error) {
	revision, id := int64(0), uint64(math.MaxInt64) // an API without statistics has revision 0
	newest, err := s.newest(ctx)
	if err != nil {
		return after, false, err
	}
	if after != "" {
		if revision, id, err = s.place(after); err != nil {
			return after, false, err
		}
		if revision > newest {
			return after, false, fmt.Errorf("%w: %q is behind all changes there are", ErrCursor, string(after))
		}
		next = s.cursor(revision, id)
	}
	most := int64(math.MaxInt64)
	if limit > 0 {
		most = int64(limit) + 1
	}
	rows, err := s.queries.QueryContext(ctx, "SELECT "+apiColumns+" FROM api WHERE (revision, id) > ($1, $2) ORDER BY revision, id LIMIT $3", revision, int64(id), most)
	n := 0
	err = each(rows, err, func() error {
		if n++; limit > 0 && n > limit {
			more = true
			return nil
		}
		var a apiRow
		if err := a.scan(rows); err != nil {
			return err
		}
		if err := visit(&a.API); err != nil {
			return err
		}
		next = s.cursor(a.revision, uint64(a.ID))
		return nil
	})
	return next, more, err
}

// renumber returns the next revision, for a transaction that changes answers of queries. Until it
// commits, no other process gets one.
func renumber(ctx context.Context, tx transaction) (revision int64, err error) {
	err = tx.QueryRowContext(ctx, "UPDATE total SET revision = revision + 1 WHERE id = 1 RETURNING revision").Scan(&revision)
	return revision, err
}

// State returns a string that changes whenever a query for statistics, APIs or origins may have
// another answer: when APIs or numbers of runs change, or days are merged into months. It is the
// same for all servers of a store.
func (s *Store) State(ctx context.Context) (string, error) {
	revision, err := s.newest(ctx)
	if err != nil {
		return "", s.wrap("looking whether anything has changed", err)
	}
	return fmt.Sprintf("%d.%x", revision, s.identity.Load()), nil
}

// newest returns the last revision. It also updates s.identity, which changes when statistics are
// removed.
func (s *Store) newest(ctx context.Context) (revision int64, err error) {
	var identity int64
	err = s.queries.QueryRowContext(ctx, "SELECT total.revision, identity.store FROM total, identity WHERE total.id = 1 AND identity.id = 1").Scan(&revision, &identity)
	if err == nil {
		s.identity.Store(identity)
	}
	return revision, err
}

func (s *Store) cursor(revision int64, id uint64) Cursor {
	return Cursor(fmt.Sprintf("%d.%x.%x", revision, id, s.identity.Load()))
}

// place parses a cursor.
func (s *Store) place(c Cursor) (revision int64, id uint64, err error) {
	n, _ := fmt.Sscanf(string(c), "%d.%x", &revision, &id)
	if own := s.cursor(revision, id); n != 2 || c != own && string(c) != fmt.Sprintf("%d.%x", revision, id) {
		return 0, 0, fmt.Errorf("%w: %q", ErrCursor, string(c))
	}
	return revision, id, nil
}

// API returns an API without its statistics, or ErrNotFound.
func (s *Store) API(ctx context.Context, id registry.ID) (*fleet.API, error) {
	a, err := s.api(ctx, s.queries, id)
	if err != nil {
		return nil, s.wrap(fmt.Sprintf("API %s", id), err)
	}
	return &a.API, nil
}

func (s *Store) api(ctx context.Context, q queryer, id registry.ID) (*apiRow, error) {
	var a apiRow
	err := a.scan(q.QueryRowContext(ctx, "SELECT "+apiColumns+" FROM api WHERE id = $1 AND changed > 0", int64(id)))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return &a, err
}

func (c *rowCache) name(number int64) name {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.names[number]
}

// snapshot begins a read transaction whose queries see the same snapshot.
func (s *Store) snapshot(ctx context.Context) (*sql.Tx, error) {
	return s.queries.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: s.isolation})
}
