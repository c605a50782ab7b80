package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
)

// What a batch names (its origin, its APIs, the collectors it has readings of) gets its row before the batch is taken,
// in a transaction of its own. So the limits of a store are kept exactly, and what is known already, which is nearly
// always everything, costs a look into memory.

// A known is what this process knows to be in the tables. It may know less than is there, never more.
type known struct {
	mu      sync.RWMutex
	origins map[fleet.Origin]int32
	byID    map[int32]fleet.Origin
	numbers map[name]int64
	names   map[int64]name
	words   []uint64 // hashes of IDs with words, each at one of few places

	loading            sync.Mutex
	originsTo, namesTo int64 // all up to these numbers are known
}

// wordsKnown is how many hashes are remembered, a power of two.
const wordsKnown = 1 << 20

func newKnown() *known {
	return &known{
		origins: map[fleet.Origin]int32{}, byID: map[int32]fleet.Origin{},
		numbers: map[name]int64{}, names: map[int64]name{},
		words: make([]uint64, wordsKnown),
	}
}

// Texts in the tables are at most so long, in bytes: names are in indexes, which take no rows of any length.
const (
	longestName = 2000
	longestText = 400
)

// clean is a text as the tables have it: not too long, and without bytes of value 0, which PostgreSQL does not take.
func clean(s string, longest int) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\ufffd")
	}
	if len(s) > longest {
		const more = "…"
		s = strings.ToValidUTF8(s[:longest-len(more)], "") + more
	}
	return s
}

// wordsOf are name, package, kind, file and group of a marker.
func wordsOf(m *profile.Marker) [5]string {
	return [...]string{clean(m.Name, longestName), clean(m.Package, longestName), clean(m.Kind, longestText), clean(m.File, longestName), clean(m.Group, longestText)}
}

func cleanOrigin(o fleet.Origin) fleet.Origin {
	for _, s := range []*string{&o.Build, &o.Go, &o.GOOS, &o.GOARCH, &o.CPU} {
		*s = clean(strings.ToValidUTF8(*s, "\ufffd"), longestText)
	}
	return o
}

func cleanName(n name) name {
	return name{clean(n.collector, longestText), clean(n.value, longestText), n.of}
}

// hashWords tells apart the words that a marker may have: name, kind and place.
func hashWords(m *profile.Marker) uint64 {
	h := uint64(14695981039346656037)
	text := func(s string) {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211 // no text in UTF-8 has this byte
	}
	for _, w := range wordsOf(m) {
		text(w)
	}
	h = (h ^ uint64(m.Line)) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29 ^ uint64(m.Col)) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

func place(id, hash uint64) (at int, mark uint64) {
	mark = (id ^ hash) * 0x9e3779b97f4a7c15
	mark ^= mark >> 31
	return int(mark % (wordsKnown / 4) * 4), mark | 1
}

func (k *known) hasWords(id, hash uint64) bool {
	at, mark := place(id, hash)
	for _, have := range k.words[at : at+4] {
		if have == mark {
			return true
		}
	}
	return false
}

func (k *known) addWords(id, hash uint64) {
	at, mark := place(id, hash)
	four := k.words[at : at+4]
	copy(four[1:], four[:3])
	four[0] = mark
}

// origin is the number of an origin.
func (k *known) origin(o fleet.Origin) (id int32, ok bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	id, ok = k.origins[o]
	return id, ok
}

// number is that of a name that is known.
func (k *known) number(n name) int64 {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.numbers[cleanName(n)]
}

// missing is what of a batch is not known.
type missing struct {
	origin  bool
	markers []int // indexes in the profile
	names   []name
}

func (m *missing) nothing() bool { return !m.origin && len(m.markers) == 0 && len(m.names) == 0 }

func hasKey[K comparable, V any](m map[K]V, key K) bool { _, ok := m[key]; return ok }

func (k *known) missing(b *fleet.Batch) (list missing) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	list.origin = !hasKey(k.origins, b.Origin)
	want := func(n name) {
		if n = cleanName(n); !hasKey(k.numbers, n) {
			list.names = append(list.names, n)
		}
	}
	for i := range b.Profile.Markers {
		m := &b.Profile.Markers[i]
		if !k.hasWords(uint64(m.ID), hashWords(m)) {
			list.markers = append(list.markers, i)
		}
		for _, r := range m.Readings {
			want(name{collector: r.Collector})
			for _, v := range r.Values {
				want(name{r.Collector, v.Name, true})
			}
		}
	}
	return list
}

// mostNames is how many collectors and values of theirs a store takes.
const mostNames = 4096

// register sees to it that all that a batch names has its row.
func (s *Store) register(ctx context.Context, b *fleet.Batch) error {
	list := s.known.missing(b)
	if list.nothing() {
		return nil
	}
	if _, known, err := s.came(ctx, s.read, b); known || err != nil {
		return err // the group finds it, and that it is not new
	}
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var apis, origins, numbers int64
	if err := tx.QueryRowContext(ctx, "SELECT apis, origins, names FROM total WHERE id = 1"+s.lock).Scan(&apis, &origins, &numbers); err != nil {
		return err
	}
	now, err := s.clock(ctx, tx)
	if err != nil {
		return err
	}
	origin, err := s.addOrigin(ctx, tx, b.Origin, &origins, now.UnixMilli())
	if err != nil {
		return err
	}
	if err := s.addAPIs(ctx, tx, b.Profile, list.markers, &apis); err != nil {
		return err
	}
	ids, err := s.addNames(ctx, tx, list.names, &numbers)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE total SET apis = $1, origins = $2, names = $3 WHERE id = 1", apis, origins, numbers); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}

	k := s.known
	k.mu.Lock()
	defer k.mu.Unlock()
	k.origins[b.Origin], k.byID[origin] = origin, b.Origin
	for _, i := range list.markers {
		m := &b.Profile.Markers[i]
		k.addWords(uint64(m.ID), hashWords(m))
	}
	for n, id := range ids {
		k.numbers[n], k.names[id] = id, n
	}
	return nil
}

// addOrigin returns the number of an origin, which it gets if it has none. Numbers are in the order in which origins come.
func (s *Store) addOrigin(ctx context.Context, tx *sql.Tx, o fleet.Origin, n *int64, now int64) (id int32, err error) {
	err = tx.QueryRowContext(ctx, "SELECT id FROM origin WHERE build = $1 AND go = $2 AND goos = $3 AND goarch = $4 AND cpu = $5",
		o.Build, o.Go, o.GOOS, o.GOARCH, o.CPU).Scan(&id)
	if err != sql.ErrNoRows {
		return id, err
	}
	if *n >= int64(s.options.MaxOrigins) {
		return 0, fmt.Errorf("%w: it has %d origins (builds, each with the kinds of machines it ran on), and takes no other", ErrFull, *n)
	}
	*n++
	_, err = tx.ExecContext(ctx, "INSERT INTO origin (id, build, go, goos, goarch, cpu, first, changed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
		*n, o.Build, o.Go, o.GOOS, o.GOARCH, o.CPU, now, now)
	return int32(*n), err
}

// addAPIs gives markers, those of a profile with the indexes, and their words rows. APIs are hidden until figures of
// theirs are written.
func (s *Store) addAPIs(ctx context.Context, tx *sql.Tx, p *profile.Profile, list []int, n *int64) error {
	rows := newRowset([]string{"api", "hash", "line", "col"}, []string{"name", "package", "kind", "file", "grp"})
	slices.SortFunc(list, func(a, b int) int { return cmp.Compare(int64(p.Markers[a].ID), int64(p.Markers[b].ID)) })
	for _, i := range list {
		m := &p.Markers[i]
		w := wordsOf(m)
		rows.row([]int64{int64(m.ID), int64(hashWords(m)), int64(m.Line), int64(m.Col)}, w[:]...)
	}
	added, err := s.exec(ctx, tx, `INSERT INTO api (id, name, package, kind, file, line, col, grp, as_of, first, changed, revision, runs, count, total, total_hi, most, reported)
		SELECT v.api, v.name, v.package, v.kind, v.file, v.line, v.col, v.grp, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM {rows} WHERE true ON CONFLICT (id) DO NOTHING`, rows, nil)
	if err != nil {
		return err
	}
	if *n += added; added > 0 && *n > int64(s.options.MaxAPIs) {
		return fmt.Errorf("%w: it has %d APIs, and takes no more than %d", ErrFull, *n-added, s.options.MaxAPIs)
	}
	_, err = s.exec(ctx, tx, `INSERT INTO words (api, hash, name, package, kind, file, line, col, grp, as_of)
		SELECT v.api, v.hash, v.name, v.package, v.kind, v.file, v.line, v.col, v.grp, -1 FROM {rows} WHERE true ON CONFLICT (api, hash) DO NOTHING`, rows, nil)
	return err
}

// addNames returns the numbers of names, those that have none with a new one.
func (s *Store) addNames(ctx context.Context, tx *sql.Tx, list []name, n *int64) (map[name]int64, error) {
	ids := map[name]int64{}
	for _, name := range list {
		if _, twice := ids[name]; twice {
			continue
		}
		is := 0
		if name.of {
			is = 1
		}
		var id int64
		err := tx.QueryRowContext(ctx, "SELECT id FROM name WHERE collector = $1 AND value = $2 AND is_value = $3", name.collector, name.value, is).Scan(&id)
		if err == sql.ErrNoRows {
			if *n >= mostNames {
				return nil, fmt.Errorf("%w: it has %d collectors and values of theirs, and takes no other", ErrFull, *n)
			}
			*n++
			id = *n
			_, err = tx.ExecContext(ctx, "INSERT INTO name (id, collector, value, is_value) VALUES ($1, $2, $3, $4)", id, name.collector, name.value, is)
		}
		if err != nil {
			return nil, err
		}
		ids[name] = id
	}
	return ids, nil
}

// loadKnown reads the origins and names that have come since it was called last. Both are numbered without gaps, in
// the order in which they come.
func (s *Store) loadKnown(ctx context.Context, q queryer) error {
	k := s.known
	k.loading.Lock()
	defer k.loading.Unlock()
	origins, names := map[int32]fleet.Origin{}, map[int64]name{}
	rows, err := q.QueryContext(ctx, "SELECT id, build, go, goos, goarch, cpu FROM origin WHERE id > $1", k.originsTo)
	if err := each(rows, err, func() error {
		var id int32
		var o fleet.Origin
		err := rows.Scan(&id, &o.Build, &o.Go, &o.GOOS, &o.GOARCH, &o.CPU)
		origins[id] = o
		return err
	}); err != nil {
		return err
	}
	rows, err = q.QueryContext(ctx, "SELECT id, collector, value, is_value FROM name WHERE id > $1", k.namesTo)
	if err := each(rows, err, func() error {
		var id, is int64
		var n name
		err := rows.Scan(&id, &n.collector, &n.value, &is)
		n.of = is != 0
		names[id] = n
		return err
	}); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, o := range origins {
		k.origins[o], k.byID[id] = id, o
	}
	for id, n := range names {
		k.numbers[n], k.names[id] = id, n
	}
	k.originsTo += int64(len(origins))
	k.namesTo += int64(len(names))
	return nil
}

// batchKey is what a batch is told from others by, in the table batch.
func batchKey(b *fleet.Batch) (run []byte, sequence, build int64) {
	sum := sha256.Sum256([]byte(b.ID.Build))
	return b.ID.Run[:], int64(b.ID.Sequence), int64(binary.LittleEndian.Uint64(sum[:]))
}

// digestOf is what bodies are told apart by.
func digestOf(b *fleet.Batch) []byte {
	sum := sha256.Sum256(b.Body)
	return sum[:16]
}
