package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/registry"
)

// Figures returns the sums of an API's statistics that the filter selects (its Package, Function
// and Kind are ignored), grouped by by and sorted by key; builds are in the order of first arrival.
func (s *Store) Figures(ctx context.Context, id registry.ID, f fleet.Filter, by fleet.Grouping) ([]fleet.Group, error) {
	groups, err := s.FiguresBy(ctx, id, f, by)
	if err != nil {
		return nil, err
	}
	return groups[0], nil
}

// FiguresBy is Figures for several groupings, which it returns in the order of by. All are of the
// same moment.
func (s *Store) FiguresBy(ctx context.Context, id registry.ID, f fleet.Filter, by ...fleet.Grouping) ([][]fleet.Group, error) {
	groups, err := s.figures(ctx, id, f, by)
	return groups, s.wrap(fmt.Sprintf("figures of API %s", id), err)
}

// A source is the origin and day of a sum; day is 0 unless grouping by day.
type source struct {
	origin int32
	day    int64
}

// key returns the key of c's group.
func (c source) key(by fleet.Grouping, o *fleet.Origin) string {
	if by == fleet.ByDay {
		return fleet.Day(c.day).String()
	}
	return o.Key(by)
}

func (s *Store) figures(ctx context.Context, id registry.ID, f fleet.Filter, by []fleet.Grouping) ([][]fleet.Group, error) {
	for _, by := range by {
		switch by {
		case fleet.NoGrouping, fleet.ByBuild, fleet.ByGo, fleet.ByGOOS, fleet.ByGOARCH, fleet.ByCPU, fleet.ByDay:
		default:
			return nil, fmt.Errorf("%q is nothing to split figures by; build, go, goos, goarch, cpu and day are", string(by))
		}
	}
	tx, err := s.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	a, err := s.api(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	origins, err := s.chosen(ctx, tx, &f)
	if err != nil {
		return nil, err
	}
	// Add up by origin first, so that more groupings cost little.
	days := slices.Contains(by, fleet.ByDay)
	sums := map[source]figures{}
	if err := s.scanCells(ctx, tx, []int64{int64(id)}, origins, &f, func(_ int64, origin int32, day int64, tag uint64, values []int64) {
		if _, ok := origins[origin]; !ok {
			return
		}
		at := source{origin: origin}
		if days {
			at.day = day
		}
		if sums[at] == nil {
			sums[at] = figures{}
		}
		sums[at].add(tag, values)
	}); err != nil {
		return nil, err
	}
	lists := make([][]fleet.Group, len(by))
	for i, by := range by {
		lists[i] = s.groupBy(a, sums, origins, by)
	}
	return lists, nil
}

// groupBy adds up the sums of each group.
func (s *Store) groupBy(a *apiRow, sums map[source]figures, origins map[int32]fleet.Origin, by fleet.Grouping) (list []fleet.Group) {
	groups := map[string]figures{}
	first := map[string]int32{} // origin of a group
	for at, sum := range sums {
		o := origins[at.origin]
		key := at.key(by, &o)
		if groups[key] == nil {
			groups[key], first[key] = figures{}, at.origin
		}
		first[key] = min(first[key], at.origin)
		for tag, row := range sum {
			groups[key].add(tag, row[:len(byTag[tag%(1<<tagBits)].columns)])
		}
	}
	for key, sum := range groups {
		group := fleet.Group{Key: key, Marker: a.marker()}
		sum.marker(&group.Marker, s.cache.name)
		group.Runs = group.Marker.Runs
		list = append(list, group)
	}
	slices.SortFunc(list, func(a, b fleet.Group) int {
		if by == fleet.ByBuild {
			return cmp.Compare(first[a.Key], first[b.Key])
		}
		return cmp.Compare(a.Key, b.Key)
	})
	return list
}
