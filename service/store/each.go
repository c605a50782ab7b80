package store

import (
	"context"
	"math"
	"strings"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
)

// Each calls visit with the sums of the statistics that the filter selects, API by API in the order
// of names, each as a marker as in Profile. Memory does not grow with the number of APIs. visit may
// modify and keep the marker and may block: no transaction is open meanwhile.
//
// APIs are read a few hundred at a time. The statistics of one API are consistent; those of
// different APIs may be of different moments after the call. An API that exists all the time under
// one name is visited once. One that is added meanwhile may be missing; one that is renamed
// meanwhile may be visited under both names or not at all.
func (s *Store) Each(ctx context.Context, f fleet.Filter, visit func(*profile.Marker) error) error {
	return s.wrap("adding figures up", s.each(ctx, f, visit))
}

func (s *Store) each(ctx context.Context, f fleet.Filter, visit func(*profile.Marker) error) error {
	for w := walkOf(&f); !w.done; {
		list, err := s.readMarkers(ctx, w)
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

// A walk iterates over the APIs that a filter selects, in the order of their names.
type walk struct {
	filter  *fleet.Filter
	origins map[int32]fleet.Origin // selected by the filter
	cached  int                    // number of cached origins when origins was computed
	after   string                 // name of the last API read
	afterID int64                  // its ID
	before  string                 // exclusive upper bound of names
	done    bool
}

func walkOf(f *fleet.Filter) *walk {
	w := &walk{filter: f, afterID: math.MinInt64}
	w.after, w.before = nameRange(f)
	return w
}

// readMarkers returns the next markers of a walk, read in one transaction, of all origins known
// then.
func (s *Store) readMarkers(ctx context.Context, w *walk) ([]profile.Marker, error) {
	tx, err := s.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	if err := s.loadCache(ctx, tx); err != nil {
		return nil, err
	}
	if n := s.cache.size(); w.origins == nil || n != w.cached {
		w.origins, w.cached = s.cache.chosen(w.filter), n
	}
	return s.next(ctx, tx, w)
}

// apisPerRead is the number of APIs whose statistics are read together.
const apisPerRead = 256

// next advances a walk and returns the markers that it read.
func (s *Store) next(ctx context.Context, q queryer, w *walk) (markers []profile.Marker, err error) {
	if len(w.origins) == 0 {
		w.done = true
		return nil, nil
	}
	var list []apiRow
	read := 0
	args := []any{w.after, w.afterID, w.before, apisPerRead}
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
	w.done = read < apisPerRead
	if len(list) == 0 {
		return nil, nil
	}
	sums := map[int64]figures{}
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = int64(list[i].ID)
	}
	if err := s.scanCells(ctx, q, ids, w.origins, w.filter, func(api int64, origin int32, day int64, tag uint64, values []int64) {
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
		sum.marker(&m, s.cache.name)
		markers = append(markers, m)
	}
	return markers, nil
}

// afterAllNames sorts after all names.
const afterAllNames = "\U0010ffff"

// nameRange returns bounds, from inclusive and before exclusive, of the names that a filter can
// select: those that start with the text before the first * or ? of package, dot and function.
func nameRange(f *fleet.Filter) (from, before string) {
	if f.Package == "" {
		return "", afterAllNames
	}
	prefix := f.Package
	if !strings.ContainsAny(prefix, "*?") {
		prefix += "." + f.Function
	}
	if i := strings.IndexAny(prefix, "*?"); i >= 0 {
		prefix = prefix[:i]
	}
	return prefix, prefix + afterAllNames
}
