package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
)

// Before a batch is accepted, a separate transaction adds rows for its origin, its APIs, and the
// collectors it has readings of. So the limits of a store are exact; and usually all rows exist,
// which a lookup in memory shows.

// A rowCache caches rows of the tables. It may lack rows, but never has rows that the tables lack.
type rowCache struct {
	mu           sync.RWMutex
	origins      map[originKey]int32
	byID         map[int32]origin
	numbers      map[name]int64
	names        map[int64]name
	descriptions marks  // pairs of ID and hashDescription
	nodes        []node // by number - 1
	numberOf     map[node]int64

	loading            sync.Mutex
	originsTo, namesTo int64 // all rows up to these numbers are loaded
}

func newRowCache() *rowCache {
	return &rowCache{
		origins: map[originKey]int32{}, byID: map[int32]origin{},
		numbers: map[name]int64{}, names: map[int64]name{}, numberOf: map[node]int64{},
	}
}

// Max lengths of texts in the tables, in bytes: names are in indexes, whose rows are limited.
const (
	maxName = 2000
	maxText = 400
)

// clean returns s as the tables have it: not too long, and without NUL bytes, which PostgreSQL
// rejects.
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

// description returns the texts that describe a marker: name, package, kind, file and group. With
// the line and the column they are a row of the table words.
func description(m *profile.Marker) [5]string {
	return [...]string{clean(m.Name, maxName), clean(m.Package, maxName), clean(m.Kind, maxText), clean(m.File, maxName), clean(m.Group, maxText)}
}

func cleanOrigin(o fleet.Origin) fleet.Origin {
	for _, s := range []*string{&o.Build, &o.Go, &o.GOOS, &o.GOARCH, &o.CPU} {
		*s = clean(strings.ToValidUTF8(*s, "\ufffd"), maxText)
	}
	return o
}

func cleanName(n name) name {
	return name{cleanDistinct(n.collector), cleanDistinct(n.value), n.of}
}

// cleanDistinct is clean for names of which a marker may have several: long names with equal
// beginnings stay distinct, by a hash.
func cleanDistinct(s string) string {
	if len(s) <= maxText {
		return clean(s, maxText)
	}
	whole := fmt.Sprintf("%016x", xxhash.Sum64String(s))
	return clean(s, maxText-len(whole)) + whole
}

// hashDescription returns a hash of the marker's name, kind and position.
func hashDescription(m *profile.Marker) uint64 {
	h := uint64(m.Line)<<32 ^ uint64(m.Col)
	for _, w := range description(m) {
		h = h*0x9e3779b97f4a7c15 ^ xxhash.Sum64String(w)
	}
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	return h ^ h>>32
}

// hashDescriptions returns hashDescription of all markers.
func hashDescriptions(p *profile.Profile) []uint64 {
	list := make([]uint64, len(p.Markers))
	for i := range p.Markers {
		list[i] = hashDescription(&p.Markers[i])
	}
	return list
}

// A marks is a set of pairs of numbers in bounded memory. It may forget pairs.
type marks struct {
	mu   sync.RWMutex
	list [marksRemembered]uint64 // buckets of marksPlaces marks
}

const (
	marksRemembered = 1 << 20 // a power of two
	marksPlaces     = 4
)

// secrets are random, so that nobody can construct pairs that collide.
var secrets = [3]uint64{rand.Uint64(), rand.Uint64(), rand.Uint64()}

// mix returns a hash of two numbers, by two 64×64-bit multiplications.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^secrets[0], b^secrets[1])
	hi, lo = bits.Mul64(hi^lo^a, secrets[2]|1)
	return hi ^ lo
}

// markOf returns the mark of a pair, never 0.
func markOf(a, b uint64) uint64 { return mix(a, b) | 1 }

func (m *marks) bucket(mark uint64) []uint64 {
	return m.list[mark>>1%(marksRemembered/marksPlaces)*marksPlaces:][:marksPlaces]
}

func (m *marks) has(mark uint64) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Contains(m.bucket(mark), mark)
}

func (m *marks) add(list []uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, mark := range list {
		bucket := m.bucket(mark)
		copy(bucket[1:], bucket)
		bucket[0] = mark
	}
}

// forget removes all marks.
func (m *marks) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.list[:])
}

// without returns the indexes of the marks that are not in m.
func (m *marks) without(list func(yield func(uint64) bool)) (indexes []int) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	i := 0
	for mark := range list {
		if !slices.Contains(m.bucket(mark), mark) {
			indexes = append(indexes, i)
		}
		i++
	}
	return indexes
}

// number returns the number of a name in the cache.
func (c *rowCache) number(n name) int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.numbers[cleanName(n)]
}

// missing is the part of a batch that is not in the cache.
type missing struct {
	origin  bool
	markers []int // indexes in the profile
	names   []name
	nodes   bool // some of its paths
}

func (m *missing) nothing() bool {
	return !m.origin && len(m.markers) == 0 && len(m.names) == 0 && !m.nodes
}

func hasKey[K comparable, V any](m map[K]V, key K) bool { _, ok := m[key]; return ok }

func (c *rowCache) missing(b *fleet.Batch, hashes []uint64, maxNodes int) (list missing) {
	markers := b.Profile.Markers
	list.markers = c.descriptions.without(func(yield func(uint64) bool) {
		for i := range markers {
			if !yield(markOf(uint64(markers[i].ID), hashes[i])) {
				return
			}
		}
	})
	c.mu.RLock()
	defer c.mu.RUnlock()
	list.origin = !hasKey(c.origins, keyOf(b))
	want := func(n name) {
		if n = cleanName(n); !hasKey(c.numbers, n) {
			list.names = append(list.names, n)
		}
	}
	wantAll := func(readings []profile.Reading) {
		for _, r := range readings {
			want(name{collector: r.Collector})
			for _, v := range r.Values {
				want(name{r.Collector, v.Name, true})
			}
		}
	}
	for i := range markers {
		wantAll(markers[i].Readings)
	}
	if tree := b.Profile.Paths; tree != nil {
		for i := range tree.Nodes {
			wantAll(tree.Nodes[i].Readings)
		}
		list.nodes = c.lacksNodes(tree, maxNodes)
	}
	return list
}

// maxNames is the max number of collectors and values of a store.
const maxNames = 4096

// register adds the missing rows for what a batch refers to. It reports whether the origin is new.
func (s *Store) register(ctx context.Context, b *fleet.Batch, hashes []uint64) (newOrigin bool, err error) {
	list := s.cache.missing(b, hashes, s.options.MaxNodes)
	if list.nothing() {
		return false, nil
	}
	if _, known, err := s.received(ctx, s.read, b); known || err != nil {
		return false, err // a duplicate: group detects it too
	}
	tx, err := s.begin(ctx, false)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	var apis, origins, numbers, nodes int64
	if err := tx.QueryRowContext(ctx, "SELECT apis, origins, names, nodes FROM total WHERE id = 1"+s.forUpdate).Scan(&apis, &origins, &numbers, &nodes); err != nil {
		return false, err
	}
	var added []node
	if list.nodes {
		if err := s.loadCache(ctx, tx); err != nil { // other processes may have added nodes
			return false, err
		}
		if added, err = s.addNodes(ctx, tx, b.Profile.Paths, &nodes); err != nil {
			return false, err
		}
	}
	now, err := s.clock(ctx, tx)
	if err != nil {
		return false, err
	}
	had := origins
	id, same, err := s.addOrigin(ctx, tx, keyOf(b), &origins, now.UnixMilli())
	if err != nil {
		return false, err
	}
	if err := s.addAPIs(ctx, tx, b.Profile, hashes, list.markers, &apis); err != nil {
		return false, err
	}
	ids, err := s.addNames(ctx, tx, list.names, &numbers)
	if err != nil {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE total SET apis = $1, origins = $2, names = $3, nodes = $4 WHERE id = 1", apis, origins, numbers, nodes); err != nil {
		return false, err
	}
	if err := tx.Commit(); err != nil {
		return false, err
	}

	c := s.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	c.origins[keyOf(b)], c.byID[id] = id, origin{keyOf(b), same}
	marks := make([]uint64, len(list.markers))
	for n, i := range list.markers {
		marks[n] = markOf(uint64(b.Profile.Markers[i].ID), hashes[i])
	}
	c.descriptions.add(marks)
	for n, id := range ids {
		c.numbers[n], c.names[id] = id, n
	}
	c.keep(nodes-int64(len(added))+1, added)
	return origins > had, nil
}

// addAPIs adds rows for the markers of p with indexes in list, and for their names and positions.
// APIs stay hidden until their statistics are written.
func (s *Store) addAPIs(ctx context.Context, tx transaction, p *profile.Profile, hashes []uint64, list []int, n *int64) error {
	rows := newRowset([]string{"api", "hash", "line", "col"}, []string{"name", "package", "kind", "file", "grp"})
	slices.SortFunc(list, func(a, b int) int { return cmp.Compare(int64(p.Markers[a].ID), int64(p.Markers[b].ID)) })
	for _, i := range list {
		m := &p.Markers[i]
		w := description(m)
		rows.row([]int64{int64(m.ID), int64(hashes[i]), int64(m.Line), int64(m.Col)}, w[:]...)
	}
	added, err := tx.exec(ctx, `INSERT INTO api (id, name, package, kind, file, line, col, grp, as_of, first, changed, revision, runs, count, total, total_hi, most, reported)
		SELECT v.api, v.name, v.package, v.kind, v.file, v.line, v.col, v.grp, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM {rows} WHERE true ON CONFLICT (id) DO NOTHING`, rows, nil)
	if err != nil {
		return err
	}
	if *n += added; added > 0 && *n > int64(s.options.MaxAPIs) {
		return fmt.Errorf("%w: it has %d APIs, and takes no more than %d", ErrFull, *n-added, s.options.MaxAPIs)
	}
	_, err = tx.exec(ctx, `INSERT INTO words (api, hash, name, package, kind, file, line, col, grp, as_of)
		SELECT v.api, v.hash, v.name, v.package, v.kind, v.file, v.line, v.col, v.grp, -1 FROM {rows} WHERE true ON CONFLICT (api, hash) DO NOTHING`, rows, nil)
	return err
}

// addNames returns the numbers of names, and adds new ones.
func (s *Store) addNames(ctx context.Context, tx transaction, list []name, n *int64) (map[name]int64, error) {
	ids := map[name]int64{}
	for _, name := range list {
		if _, twice := ids[name]; twice {
			continue
		}
		is := bit(name.of)
		var id int64
		err := tx.QueryRowContext(ctx, "SELECT id FROM name WHERE collector = $1 AND value = $2 AND is_value = $3", name.collector, name.value, is).Scan(&id)
		if err == sql.ErrNoRows {
			if *n >= maxNames {
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

// loadCache reads the origins, names and nodes added since its last call. All are numbered without
// gaps, in the order of arrival.
func (s *Store) loadCache(ctx context.Context, q queryer) error {
	c := s.cache
	c.loading.Lock()
	defer c.loading.Unlock()
	origins, names := map[int32]origin{}, map[int64]name{}
	rows, err := q.QueryContext(ctx, "SELECT id, build, go, goos, goarch, cpu, token, same FROM origin WHERE id > $1", c.originsTo)
	if err := each(rows, err, func() error {
		var id int32
		var o origin
		err := rows.Scan(&id, &o.Build, &o.Go, &o.GOOS, &o.GOARCH, &o.CPU, &o.token, &o.same)
		origins[id] = o
		return err
	}); err != nil {
		return err
	}
	rows, err = q.QueryContext(ctx, "SELECT id, collector, value, is_value FROM name WHERE id > $1", c.namesTo)
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
	nodes := []node{}
	c.mu.RLock()
	from := int64(len(c.nodes)) + 1
	c.mu.RUnlock()
	rows, err = q.QueryContext(ctx, "SELECT parent, api, starts, label FROM node WHERE id >= $1 ORDER BY id", from)
	if err := each(rows, err, func() error {
		var n node
		var api, starts int64
		err := rows.Scan(&n.parent, &api, &starts, &n.label)
		n.api, n.starts = uint64(api), starts != 0
		nodes = append(nodes, n)
		return err
	}); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(from, nodes)
	for id, o := range origins {
		c.origins[o.originKey], c.byID[id] = id, o
	}
	for id, n := range names {
		c.numbers[n], c.names[id] = id, n
	}
	c.originsTo += int64(len(origins))
	c.namesTo += int64(len(names))
	return nil
}

// batchKey returns the key of a batch in the table batch.
func batchKey(b *fleet.Batch) (run []byte, sequence, build int64) {
	sum := sha256.Sum256([]byte(b.ID.Build))
	return b.ID.Run[:], int64(b.ID.Sequence), int64(binary.LittleEndian.Uint64(sum[:]))
}

// digestOf returns the digest by which bodies are compared.
func digestOf(b *fleet.Batch) []byte {
	sum := sha256.Sum256(b.Body)
	return sum[:16]
}
