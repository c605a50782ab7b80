package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
)

// Profile returns the sums of all figures that the filter chooses as a profile: markers in their order, runs. It
// holds limit markers at most, 0: any number; more tells that there are others.
func (s *Store) Profile(ctx context.Context, f fleet.Filter, limit int) (p *profile.Profile, more bool, err error) {
	p, more, err = s.profile(ctx, f, limit)
	return p, more, s.wrap("adding figures up", err)
}

func (s *Store) profile(ctx context.Context, f fleet.Filter, limit int) (*profile.Profile, bool, error) {
	tx, err := s.snapshot(ctx)
	if err != nil {
		return nil, false, err
	}
	defer tx.Rollback()
	origins, err := s.chosen(ctx, tx, &f)
	if err != nil {
		return nil, false, err
	}
	p, err := s.headOf(ctx, tx, origins, &f)
	if err != nil {
		return nil, false, err
	}
	more := false
	w := walkOf(&f)
	for w.origins = origins; !w.done && !more; {
		list, err := s.next(ctx, tx, w)
		if err != nil {
			return nil, false, err
		}
		if more = limit > 0 && len(p.Markers)+len(list) > limit; more {
			list = list[:limit-len(p.Markers)]
		}
		p.Markers = append(p.Markers, list...)
	}
	var newest int64
	for i := range p.Markers {
		newest = max(newest, p.Markers[i].AsOf())
	}
	if len(p.Markers) > 0 {
		p.SetNewest(time.Unix(0, newest))
	}
	// IDs are ordered as unsigned numbers in a profile.
	slices.SortStableFunc(p.Markers, func(a, b profile.Marker) int { return profile.CompareMarkers(&a, &b) })
	return p, more, nil
}

// headOf is a profile without markers.
func (s *Store) headOf(ctx context.Context, q queryer, origins map[int32]fleet.Origin, f *fleet.Filter) (*profile.Profile, error) {
	from, to := days(f)
	var row [widest]int64
	heads.clear(&row)
	seen := map[int32]bool{}
	if err := s.rowsOf(ctx, q, heads, " WHERE day >= $1 AND day <= $2", []any{from, to}, func(values []int64) error {
		origin := int32(values[0])
		if _, ok := origins[origin]; !ok {
			return nil
		}
		seen[origin] = true
		for i, v := range values[len(heads.keys):] {
			heads.add(&row, i, v)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	p := &profile.Profile{}
	fromHead(p, &row)
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
