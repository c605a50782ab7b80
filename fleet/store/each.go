package store

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
)

// Each gives to visit the sums of the figures that the filter chooses, API by API in the order of their names, as
// Profile has them among its markers. Memory does not grow with their number. The marker is visit's.
func (s *Store) Each(ctx context.Context, f fleet.Filter, visit func(*profile.Marker) error) error {
	return s.wrap("adding figures up", s.each(ctx, f, visit))
}

func (s *Store) each(ctx context.Context, f fleet.Filter, visit func(*profile.Marker) error) error {
	tx, err := s.snapshot(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	origins, err := s.chosen(ctx, tx, &f)
	if err != nil {
		return err
	}
	return s.eachOf(ctx, tx, origins, &f, visit)
}

// apisAtOnce is how many APIs' figures are read together.
const apisAtOnce = 256

// errEnough ends a visit.
var errEnough = errors.New("no more are wanted")

// eachOf is Each within a transaction, of the origins that were chosen.
func (s *Store) eachOf(ctx context.Context, tx queryer, origins map[int32]fleet.Origin, f *fleet.Filter, visit func(*profile.Marker) error) error {
	if len(origins) == 0 {
		return nil
	}
	after, before := nameRange(f)
	afterID := int64(math.MinInt64)
	for {
		var list []apiRow
		read := 0
		args := []any{after, afterID, before, apisAtOnce}
		where := " WHERE (name, id) > ($1, $2) AND name < $3"
		if few := inOrigins("reach.origin", origins, &args); few != "" {
			where += " AND EXISTS (SELECT 1 FROM reach WHERE reach.api = api.id AND " + few + ")"
		}
		rows, err := tx.QueryContext(ctx, "SELECT "+apiColumns+" FROM api"+where+" ORDER BY name, id LIMIT $4", args...)
		if err := each(rows, err, func() error {
			var a apiRow
			err := a.scan(rows)
			after, afterID = a.Name, int64(a.ID)
			if read++; !a.Changed.IsZero() && a.revision > 0 && f.FitsAPI(&a.API) {
				list = append(list, a)
			}
			return err
		}); err != nil {
			return err
		}
		sums := map[int64]figures{}
		ids := make([]int64, len(list))
		for i := range list {
			ids[i] = int64(list[i].ID)
		}
		if len(ids) > 0 {
			if err := s.cellsOf(ctx, tx, ids, origins, f, func(api int64, origin int32, day int64, tag uint64, values []int64) {
				if _, ok := origins[origin]; !ok {
					return
				}
				if sums[api] == nil {
					sums[api] = figures{}
				}
				sums[api].add(tag, values)
			}); err != nil {
				return err
			}
		}
		for i := range list {
			sum := sums[int64(list[i].ID)]
			if sum == nil {
				continue
			}
			m := list[i].marker()
			sum.marker(&m, s.known.name)
			if err := visit(&m); err != nil {
				return err
			}
		}
		if read < apisAtOnce {
			return nil
		}
	}
}

// lastName is behind all texts that names have.
const lastName = "\U0010ffff"

// nameRange is bounds of the names that a filter can choose, the first included: those that begin with what stands before the
// first * or ? of the package, a dot and the function.
func nameRange(f *fleet.Filter) (from, before string) {
	if f.Package == "" {
		return "", lastName
	}
	prefix := f.Package
	if !strings.ContainsAny(prefix, "*?") {
		prefix += "." + f.Function
	}
	if i := strings.IndexAny(prefix, "*?"); i >= 0 {
		prefix = prefix[:i]
	}
	return prefix, prefix + lastName
}
