package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// Profile returns the sums of the statistics that the filter selects as a profile, with sorted
// markers and the fields about runs. It has at most limit markers, or as many as fit in limit times
// the usual size; 0 means no limit. more reports whether there are others.
//
// APIs are read as in Each, in short transactions.
func (s *Store) Profile(ctx context.Context, f fleet.Filter, limit int) (p *profile.Profile, more bool, err error) {
	p, more, err = s.profile(ctx, f, limit)
	return p, more, s.wrap("adding figures up", err)
}

func (s *Store) profile(ctx context.Context, f fleet.Filter, limit int) (p *profile.Profile, more bool, err error) {
	if p, err = s.runs(ctx, &f, false); err != nil {
		return nil, false, err
	}
	size := 0
	given := map[registry.ID]bool{} // an API that is renamed meanwhile may be read under both names
	for w := walkOf(&f); !w.done && !more; {
		list, err := s.readMarkers(ctx, w)
		if err != nil {
			return nil, false, err
		}
		for i := range list {
			if given[list[i].ID] {
				continue
			}
			if more = limit > 0 && (len(p.Markers) == limit || size > limit*usualSize); more {
				break
			}
			given[list[i].ID] = true
			size += sizeOf(&list[i])
			p.Markers = append(p.Markers, list[i])
		}
	}
	for i := range p.Markers {
		p.Newest = max(p.Newest, p.Markers[i].AsOf)
	}
	// A profile orders IDs as unsigned numbers.
	slices.SortStableFunc(p.Markers, func(a, b profile.Marker) int { return profile.CompareMarkers(&a, &b) })
	return p, more, nil
}

// usualSize is the approximate size of a marker with its statistics, in bytes.
const usualSize = 1536

// sizeOf returns a lower bound of the size of m, in bytes.
func sizeOf(m *profile.Marker) int {
	n := int(unsafe.Sizeof(*m)) + len(m.Name) + len(m.Package) + len(m.File) + len(m.Group) +
		(cap(m.Buckets)+cap(m.First.Buckets))*int(unsafe.Sizeof(profile.Bucket{})) + cap(m.Sizes)*int(unsafe.Sizeof(profile.SizeBucket{}))
	for i := range m.Readings {
		r := &m.Readings[i]
		n += int(unsafe.Sizeof(*r))
		for k := range r.Values {
			v := &r.Values[k]
			n += int(unsafe.Sizeof(*v)) + (cap(v.Buckets)+cap(v.SelfBuckets))*int(unsafe.Sizeof(profile.ValueBucket{}))
		}
	}
	return n
}

// runs returns a profile of what a filter selects, without markers; with paths, these and the markers
// on them.
func (s *Store) runs(ctx context.Context, f *fleet.Filter, paths bool) (*profile.Profile, error) {
	tx, err := s.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	origins, err := s.chosen(ctx, tx, f)
	if err != nil {
		return nil, err
	}
	p, err := s.runProfile(ctx, tx, origins, f)
	if err != nil {
		return nil, err
	}
	if !paths {
		p.Paths = nil
		return p, nil
	}
	return p, s.addPaths(ctx, tx, origins, f, p)
}

// runProfile returns a profile without markers and nodes of paths, of some origins and of the
// filter's days.
func (s *Store) runProfile(ctx context.Context, q queryer, origins map[int32]fleet.Origin, f *fleet.Filter) (*profile.Profile, error) {
	from, to := days(f)
	var row [rowWidth]int64
	runTotals.clear(&row)
	seen := map[int32]bool{}
	if err := s.scanRows(ctx, q, runTotals, " WHERE day >= $1 AND day <= $2", []any{from, to}, func(values []int64) error {
		origin := int32(values[0])
		if _, ok := origins[origin]; !ok {
			return nil
		}
		seen[origin] = true
		for i, v := range values[len(runTotals.keys):] {
			runTotals.add(&row, i, v)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	p := &profile.Profile{}
	setRunTotals(p, &row)
	p.Run = fmt.Sprintf("%d runs", p.Runs)
	if p.Runs == 1 {
		p.Run = "1 run"
	}
	p.State = "stopped"
	all := func(of func(fleet.Origin) string) (same string, n int) {
		texts := map[string]bool{}
		for id := range seen {
			if text := of(origins[id]); text != "" {
				texts[text] = true
				same = text
			}
		}
		return same, len(texts)
	}
	one := func(of func(fleet.Origin) string, several string) string {
		if same, n := all(of); n <= 1 {
			return same
		}
		return several
	}
	p.GOOS = one(func(o fleet.Origin) string { return o.GOOS }, "mixed")
	p.GOARCH = one(func(o fleet.Origin) string { return o.GOARCH }, "mixed")
	p.CPU = one(func(o fleet.Origin) string { return o.CPU }, "mixed")
	p.Go = one(func(o fleet.Origin) string { return o.Go }, "mixed")
	p.Main = one(func(o fleet.Origin) string { main, _, _ := cutLast(o.Build, "@"); return main }, "")
	p.Version = one(func(o fleet.Origin) string { _, version, _ := cutLast(o.Build, "@"); return version }, "mixed")
	var apps []string
	for id := range seen {
		main, _, _ := cutLast(origins[id].Build, "@")
		apps = append(apps, main[strings.LastIndexByte(main, '/')+1:])
	}
	slices.Sort(apps)
	if apps = slices.Compact(apps); len(apps) > 10 {
		apps = append(apps[:10], fmt.Sprintf("and %d others", len(apps)-10))
	}
	p.App = strings.Join(apps, ", ")
	return p, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
