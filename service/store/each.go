package store

import (
	"context"
	"math"
	"strings"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
)

// Each gives to visit the sums of the figures that the filter chooses, API by API in the order of their names, as
// Profile has them among its markers. Memory does not grow with their number. The marker is visit's, which may take as long as
// it likes: while it works nothing of the database is held.
//
// The APIs are read some hundred at a time. The figures of each are of one moment after Each was called, those of different APIs
// need not be of the same. What is there all the time under the same name is given once. What comes meanwhile may be missing;
// and what gets another name meanwhile may be given under both, or be missing.
func (s *Store) Each(ctx context.Context, f fleet.Filter, visit func(*profile.Marker) error) error {
	return s.wrap("adding figures up", s.each(ctx, f, visit))
}

func (s *Store) each(ctx context.Context, f fleet.Filter, visit func(*profile.Marker) error) error {
	for w := walkOf(&f); !w.done; {
		list, err := s.stretch(ctx, w)
		if err != nil {
			return err
		}
		for i := range list {
			if err := visit(&list[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// A walk goes through the APIs that a filter chooses, in the order of their names.
type walk struct {
	filter  *fleet.Filter
	origins map[int32]fleet.Origin // that the filter chooses
	known   int                    // origins that there were when they were chosen
	after   string                 // name of the last API that was looked at
	afterID int64                  // and its ID
	before  string                 // name behind the last there can be
	done    bool
}

func walkOf(f *fleet.Filter) *walk {
	w := &walk{filter: f, afterID: math.MinInt64}
	w.after, w.before = nameRange(f)
	return w
}

// stretch goes on with a walk in a transaction of its own, of all origins that there are by then.
func (s *Store) stretch(ctx context.Context, w *walk) ([]profile.Marker, error) {
	tx, err := s.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	if err := s.loadKnown(ctx, tx); err != nil {
		return nil, err
	}
	if n := s.known.size(); w.origins == nil || n != w.known {
		w.origins, w.known = s.known.chosen(w.filter), n
	}
	return s.next(ctx, tx, w)
}

// apisAtOnce is how many APIs' figures are read together.
const apisAtOnce = 256

// next goes on with a walk, and returns what it has come by.
func (s *Store) next(ctx context.Context, q queryer, w *walk) (markers []profile.Marker, err error) {
	if len(w.origins) == 0 {
		w.done = true
		return nil, nil
	}
	var list []apiRow
	read := 0
	args := []any{w.after, w.afterID, w.before, apisAtOnce}
	where := " WHERE (name, id) > ($1, $2) AND name < $3"
	if few := inOrigins("reach.origin", w.origins, &args); few != "" {
		where += " AND EXISTS (SELECT 1 FROM reach WHERE reach.api = api.id AND " + few + ")"
	}
	rows, err := q.QueryContext(ctx, "SELECT "+apiColumns+" FROM api"+where+" ORDER BY name, id LIMIT $4", args...)
	if err := each(rows, err, func() error {
		var a apiRow
		err := a.scan(rows)
		w.after, w.afterID = a.Name, int64(a.ID)
		if read++; !a.Changed.IsZero() && a.revision > 0 && w.filter.FitsAPI(&a.API) {
			list = append(list, a)
		}
		return err
	}); err != nil {
		return nil, err
	}
	w.done = read < apisAtOnce
	if len(list) == 0 {
		return nil, nil
	}
	sums := map[int64]figures{}
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = int64(list[i].ID)
	}
	if err := s.cellsOf(ctx, q, ids, w.origins, w.filter, func(api int64, origin int32, day int64, tag uint64, values []int64) {
		if _, ok := w.origins[origin]; !ok {
			return
		}
		if sums[api] == nil {
			sums[api] = figures{}
		}
		sums[api].add(tag, values)
	}); err != nil {
		return nil, err
	}
	for i := range list {
		sum := sums[int64(list[i].ID)]
		if sum == nil {
			continue
		}
		m := list[i].marker()
		sum.marker(&m, s.known.name)
		markers = append(markers, m)
	}
	return markers, nil
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
