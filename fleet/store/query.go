package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// match says whether a pattern of a Filter fits a text; "" fits all.
func match(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	p, n := 0, 0
	star, mark := -1, 0
	for n < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[n]):
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

func fitsOrigin(f *fleet.Filter, o *fleet.Origin) bool {
	return match(f.Build, o.Build) && match(f.Go, o.Go) && match(f.GOOS, o.GOOS) && match(f.GOARCH, o.GOARCH) && match(f.CPU, o.CPU)
}

func fitsAPI(f *fleet.Filter, a *fleet.API) bool {
	return match(f.Package, a.Package) && match(f.Function, a.Function()) && (f.Kind == "" || f.Kind == a.Kind)
}

// days are the days of a filter, both included.
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

const apiColumns = "id, name, package, kind, file, line, col, grp, as_of, first, changed, runs, count, total, total_hi, most, reported, revision"

// An apiRow is a row of the table api.
type apiRow struct {
	fleet.API
	col      int
	group    string
	asOf     int64
	revision int64
}

func (a *apiRow) scan(rows interface{ Scan(...any) error }) error {
	var id, first, changed, runs, count, total, totalHi, most int64
	if err := rows.Scan(&id, &a.Name, &a.Package, &a.Kind, &a.File, &a.Line, &a.col, &a.group, &a.asOf, &first, &changed, &runs, &count, &total, &totalHi, &most, &a.Reported, &a.revision); err != nil {
		return err
	}
	a.ID = registry.ID(id)
	a.First, a.Changed = time.UnixMilli(first).UTC(), time.UnixMilli(changed).UTC()
	a.Runs, a.Count, a.TotalNS, a.MaxNS = fromColumn(runs), fromColumn(count), fromColumns(total, totalHi), fromColumn(most)
	return nil
}

// marker is the API as a marker without figures.
func (a *apiRow) marker() profile.Marker {
	m := profile.Marker{ID: a.ID, Name: a.Name, Package: a.Package, Kind: a.Kind, File: a.File, Line: a.Line, Col: a.col, Group: a.group}
	m.SetAsOf(max(0, a.asOf))
	return m
}

// Changed gives to visit the APIs that changed after the cursor, whole, and returns the cursor to ask with next. An
// API may be given again that has not changed; none that has is ever left out. limit is the number of APIs at most,
// 0: all.
func (s *Store) Changed(ctx context.Context, after Cursor, limit int, visit func(*fleet.API) error) (next Cursor, more bool, err error) {
	next, more, err = s.changed(ctx, after, limit, visit)
	return next, more, s.wrap("looking what has changed", err)
}

// Changes are numbered, and an API has the number of its last. A cursor is that of the last API it was asked for, and
// the API.
func (s *Store) changed(ctx context.Context, after Cursor, limit int, visit func(*fleet.API) error) (next Cursor, more bool, err error) {
	var revision int64
	var id uint64
	if after != "" {
		if n, err := fmt.Sscanf(string(after), "%d.%x", &revision, &id); n != 2 || err != nil || string(after) != string(cursor(revision, id)) {
			return after, false, fmt.Errorf("%w: %q", ErrCursor, string(after))
		}
	} else {
		id = math.MaxInt64 // revision 0 is of those that have no figures yet
	}
	most := int64(math.MaxInt64)
	if limit > 0 {
		most = int64(limit) + 1
	}
	rows, err := s.read.QueryContext(ctx, "SELECT "+apiColumns+" FROM api WHERE (revision, id) > ($1, $2) ORDER BY revision, id LIMIT $3", revision, int64(id), most)
	n := 0
	next = after
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
		next = cursor(a.revision, uint64(a.ID))
		return nil
	})
	return next, more, err
}

func cursor(revision int64, id uint64) Cursor { return Cursor(fmt.Sprintf("%d.%x", revision, id)) }

// API returns what is known of an API besides figures; ErrNotFound.
func (s *Store) API(ctx context.Context, id registry.ID) (*fleet.API, error) {
	a, err := s.api(ctx, s.read, id)
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

// chosen are the origins that a filter chooses.
func (s *Store) chosen(ctx context.Context, q queryer, f *fleet.Filter) (map[int32]fleet.Origin, error) {
	if err := s.loadKnown(ctx, q); err != nil {
		return nil, err
	}
	k := s.known
	k.mu.RLock()
	defer k.mu.RUnlock()
	list := map[int32]fleet.Origin{}
	for id, o := range k.byID {
		if fitsOrigin(f, &o) {
			list[id] = o
		}
	}
	return list, nil
}

func (k *known) name(number int64) name {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.names[number]
}

// snapshot begins a transaction that reads, in which all queries see the same.
func (s *Store) snapshot(ctx context.Context) (*sql.Tx, error) {
	return s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: s.isolation})
}

// Figures returns the sums of an API's figures that the filter chooses (its Package, Function and Kind don't
// matter), told apart by by, in the order of the keys; builds in the order in which they came first.
func (s *Store) Figures(ctx context.Context, id registry.ID, f fleet.Filter, by fleet.By) ([]fleet.Group, error) {
	groups, err := s.FiguresBy(ctx, id, f, by)
	if err != nil {
		return nil, err
	}
	return groups[0], nil
}

// FiguresBy is Figures for several ways to tell figures apart, in their order. They are read once: all are of the same
// moment.
func (s *Store) FiguresBy(ctx context.Context, id registry.ID, f fleet.Filter, by ...fleet.By) ([][]fleet.Group, error) {
	groups, err := s.figures(ctx, id, f, by)
	return groups, s.wrap(fmt.Sprintf("figures of API %s", id), err)
}

// A source is where a sum of an API's figures is from; day is 0 where days are not told apart.
type source struct {
	origin int32
	day    int64
}

// key is what figures from there have in common when they are told apart.
func (c source) key(by fleet.By, o *fleet.Origin) string {
	switch by {
	case fleet.ByBuild:
		return o.Build
	case fleet.ByGo:
		return o.Go
	case fleet.ByGOOS:
		return o.GOOS
	case fleet.ByGOARCH:
		return o.GOARCH
	case fleet.ByCPU:
		return o.CPU
	case fleet.ByDay:
		return dayOf(c.day).String()
	}
	return ""
}

func (s *Store) figures(ctx context.Context, id registry.ID, f fleet.Filter, by []fleet.By) ([][]fleet.Group, error) {
	for _, by := range by {
		switch by {
		case fleet.ByNothing, fleet.ByBuild, fleet.ByGo, fleet.ByGOOS, fleet.ByGOARCH, fleet.ByCPU, fleet.ByDay:
		default:
			return nil, fmt.Errorf("%q is nothing that figures can be told apart by; build, go, goos, goarch, cpu and day are", string(by))
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
	// Figures are added up by origin first, so that it matters little how many ways there are to tell them apart.
	days := slices.Contains(by, fleet.ByDay)
	sums := map[source]figures{}
	if err := s.cellsOf(ctx, tx, []int64{int64(id)}, origins, &f, func(_ int64, origin int32, day int64, tag uint64, values []int64) {
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
		lists[i] = s.toldApart(a, sums, origins, by)
	}
	return lists, nil
}

// toldApart puts sums together that have in common what they are told apart by.
func (s *Store) toldApart(a *apiRow, sums map[source]figures, origins map[int32]fleet.Origin, by fleet.By) (list []fleet.Group) {
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
		if cell := sum[tagCell]; cell != nil {
			group.Runs = fromColumn(cell[0])
		}
		sum.marker(&group.Marker, s.known.name)
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

// fewOrigins is how many origins the database is told to choose; of more it gives all rows.
const fewOrigins = 64

// inOrigins is a condition by which a column of a table is one of a few origins, whose numbers are added to the arguments;
// "" if they are many.
func inOrigins(column string, origins map[int32]fleet.Origin, args *[]any) string {
	if len(origins) == 0 || len(origins) > fewOrigins {
		return ""
	}
	var in []string
	for origin := range origins {
		*args = append(*args, int64(origin))
		in = append(in, placeholder(len(*args)))
	}
	return column + " IN (" + strings.Join(in, ", ") + ")"
}

// cellsOf gives to visit the rows of figures of some APIs within a filter's days, those of other origins among them if origins are
// many. The values are visit's until it returns.
func (s *Store) cellsOf(ctx context.Context, q queryer, apis []int64, origins map[int32]fleet.Origin, f *fleet.Filter, visit func(api int64, origin int32, day int64, tag uint64, values []int64)) error {
	from, to := days(f)
	args := []any{from, to}
	in := make([]string, len(apis))
	for i, api := range apis {
		args = append(args, api)
		in[i] = placeholder(i + 3)
	}
	where := " WHERE day >= $1 AND day <= $2 AND api IN (" + strings.Join(in, ", ") + ")"
	if few := inOrigins("origin", origins, &args); few != "" {
		where += " AND " + few
	}
	for kind, t := range byTag {
		if err := s.rowsOf(ctx, q, t, where, args, func(values []int64) error {
			tag := uint64(kind)
			switch t {
			case buckets:
				tag |= uint64(values[3]<<3|values[4]) << tagBits
			case readings:
				tag |= uint64(values[3]) << tagBits
			}
			visit(values[0], int32(values[1]), values[2], tag, values[len(t.keys):])
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf gives to visit rows of a table: keys and columns, which are visit's until it returns.
func (s *Store) rowsOf(ctx context.Context, q queryer, t *table, where string, args []any, visit func(values []int64) error) error {
	values := make([]int64, len(t.keys)+len(t.columns))
	if s.asText {
		rows, err := q.QueryContext(ctx, "SELECT concat_ws(' ', "+t.names()+") FROM "+t.name+where, args...)
		var text sql.RawBytes
		return each(rows, err, func() error {
			if err := rows.Scan(&text); err != nil {
				return err
			}
			if err := parseRow(values, text); err != nil {
				return err
			}
			return visit(values)
		})
	}
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	rows, err := q.QueryContext(ctx, "SELECT "+t.names()+" FROM "+t.name+where, args...)
	return each(rows, err, func() error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		return visit(values)
	})
}

// parseRow reads numbers that have a space between them.
func parseRow(values []int64, text []byte) error {
	for i := range values {
		n, negative := uint64(0), false
		if len(text) > 0 && text[0] == '-' {
			negative, text = true, text[1:]
		}
		k := 0
		for ; k < len(text) && text[k] != ' '; k++ {
			n = 10*n + uint64(text[k]-'0')
		}
		if k == 0 {
			return errors.New("a row with too few numbers")
		}
		if values[i] = int64(n); negative {
			values[i] = -int64(n)
		}
		text = text[min(k+1, len(text)):]
	}
	return nil
}

// dayOf is the day that a row is of.
func dayOf(day int64) fleet.Day { return fleet.Day(day) }

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
	var newest int64
	more := false
	err = s.eachOf(ctx, tx, origins, &f, func(m *profile.Marker) error {
		if limit > 0 && len(p.Markers) == limit {
			more = true
			return errEnough
		}
		newest = max(newest, m.AsOf())
		p.SetNewest(time.Unix(0, newest))
		p.Markers = append(p.Markers, *m)
		return nil
	})
	if err != nil && err != errEnough {
		return nil, false, err
	}
	// IDs are ordered as unsigned numbers in a profile.
	slices.SortStableFunc(p.Markers, func(a, b profile.Marker) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
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

// Origins returns all origins that fit the filter (its Package, Function, Kind and days don't matter), in the order
// in which they came first.
func (s *Store) Origins(ctx context.Context, f fleet.Filter) ([]OriginSum, error) {
	list, err := s.origins(ctx, f)
	return list, s.wrap("listing origins", err)
}

func (s *Store) origins(ctx context.Context, f fleet.Filter) (list []OriginSum, err error) {
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
		var o OriginSum
		var id, first, changed int64
		if err := rows.Scan(&id, &o.Build, &o.Go, &o.GOOS, &o.GOARCH, &o.CPU, &first, &changed); err != nil {
			return err
		}
		sum, ok := sums[id]
		if !ok || !fitsOrigin(&f, &o.Origin) {
			return nil
		}
		o.First, o.Changed = time.UnixMilli(first).UTC(), time.UnixMilli(changed).UTC()
		o.Runs, o.Batches = fromColumn(sum.runs), fromColumn(sum.batches)
		list = append(list, o)
		return nil
	})
	return list, err
}
