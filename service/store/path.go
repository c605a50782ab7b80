package store

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// A node is a path: the scopes of an API, with a label, directly inside those of another node. Nodes
// are numbered from 1 without gaps, parents before children. A store takes Options.MaxNodes of them;
// scopes on other paths count at a node of API 0 ("other") below the nearest node that there is.
type node struct {
	parent int64 // 0 at a root
	api    uint64
	starts bool   // the scopes are the first of goroutines
	label  string // cleaned
}

// A place is where the scopes of a path in a batch are counted.
type place struct {
	node   int64
	api    uint64 // of the node
	beyond bool   // the path has no node of its own
	inside bool   // so do its scopes and the scopes around them, which are counted there, too
}

// places returns the places of the paths in a batch. find returns the number of a node, or 0 if there
// is none; other is true for a node that is needed whatever the limit.
func places(p *profile.Paths, find func(n node, other bool) int64) []place {
	if p == nil {
		return nil
	}
	list := make([]place, len(p.Nodes))
	for i := range p.Nodes {
		n, up := &p.Nodes[i], place{}
		if n.Parent >= 0 {
			up = list[n.Parent]
		}
		if up.beyond {
			list[i], list[i].inside = up, true
			continue
		}
		k := find(node{up.node, uint64(n.ID), n.Go, cleanDistinct(n.Label)}, false)
		switch {
		case k > 0:
			list[i] = place{node: k, api: uint64(n.ID)}
		case up.node > 0 && up.api == 0: // no other below other, so that there are at most twice the limit
			list[i] = place{node: up.node, beyond: true, inside: true}
		default:
			list[i] = place{node: find(node{parent: up.node}, true), beyond: true}
		}
	}
	return list
}

// places returns the places of the paths in a batch. ok is false if the cache lacks one.
func (c *rowCache) places(p *profile.Paths) (list []place, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	list = places(p, func(n node, _ bool) int64 { return c.numberOf[n] })
	return list, !slices.ContainsFunc(list, func(p place) bool { return p.node == 0 })
}

// lacksNodes reports whether nodes of a batch are to be added. The caller has locked c.
func (c *rowCache) lacksNodes(p *profile.Paths, limit int) (lacks bool) {
	places(p, func(n node, other bool) int64 {
		k := c.numberOf[n]
		if k == 0 && (other || len(c.nodes) < limit) {
			lacks = true
		}
		return k
	})
	return lacks
}

// addNodes adds the nodes of a batch that the store does not have, up to its limit, and returns
// them; n is the number of nodes. The cache has all others.
func (s *Store) addNodes(ctx context.Context, tx transaction, p *profile.Paths, n *int64) (added []node, err error) {
	rows := newRowset([]string{"id", "parent", "api", "starts"}, []string{"label"})
	numbers := map[node]int64{}
	s.cache.mu.RLock()
	places(p, func(one node, other bool) int64 {
		k := cmp.Or(s.cache.numberOf[one], numbers[one])
		if k > 0 || !other && *n >= int64(s.options.MaxNodes) {
			return k
		}
		*n++
		numbers[one], added = *n, append(added, one)
		rows.row([]int64{*n, one.parent, int64(one.api), bit(one.starts)}, one.label)
		return *n
	})
	s.cache.mu.RUnlock()
	_, err = tx.exec(ctx, "INSERT INTO node (id, parent, api, starts, label) SELECT v.id, v.parent, v.api, v.starts, v.label FROM {rows}", rows, nil)
	return added, err
}

func bit(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// keep adds nodes to the cache, which have the numbers from from on and may be there already. The
// caller has locked c.
func (c *rowCache) keep(from int64, list []node) {
	for i, n := range list {
		if from+int64(i) == int64(len(c.nodes))+1 {
			c.nodes = append(c.nodes, n)
			c.numberOf[n] = int64(len(c.nodes))
		}
	}
}

// A tag of a path's part is its node and, below, its value.
const valueBits = 13 // maxNames fits

// paths adds the parts of the nodes with these indexes to those of their API, which were packed last.
func (p *packer) paths(list []profile.Path, at []place, indexes []int, numbers names) []byte {
	for _, i := range indexes {
		n := &list[i]
		tag := func(value int64) uint64 {
			return tagPath | (uint64(at[i].node)<<valueBits|uint64(value))<<tagBits
		}
		r := &p.row
		r[pathCount], r[pathSum], r[pathNested], r[pathSelf] = toColumn(n.Count), toColumn(n.SumNS), toColumn(n.NestedNS), toColumn(n.SelfNS)
		if at[i].inside {
			r[pathNested] = r[pathSum]
		}
		p.part(tag(0))
		for _, reading := range n.Readings {
			r[pathCount], r[pathSum], r[pathNested], r[pathSelf] = toColumn(reading.Scopes), toColumn(reading.Dropped), 0, 0
			p.part(tag(numbers(name{collector: reading.Collector})))
			for _, v := range reading.Values {
				r[pathCount], r[pathSum], r[pathNested], r[pathSelf] = 0, toColumn(v.Sum), toColumn(v.Nested), toColumn(v.Self)
				if at[i].inside {
					r[pathNested] = r[pathSum]
				}
				p.part(tag(numbers(name{reading.Collector, v.Name, true})))
			}
		}
	}
	p.sort()
	return p.out
}

// Paths returns the call paths of the statistics that the filter selects, as a profile of the
// markers on them, without other figures. If the filter selects by package, function or kind, what
// is inside other markers is inside the scope around these.
func (s *Store) Paths(ctx context.Context, f fleet.Filter) (*profile.Profile, error) {
	p, err := s.runs(ctx, &f, true)
	return p, s.wrap("adding paths up", err)
}

// addPaths adds to a profile the nodes of some origins and of the filter's days, and the markers on
// them.
func (s *Store) addPaths(ctx context.Context, q queryer, origins map[int32]fleet.Origin, f *fleet.Filter, p *profile.Profile) error {
	from, to := days(f)
	args, where := []any{from, to}, " WHERE day >= $1 AND day <= $2"
	if few := inOrigins("origin", origins, &args); few != "" {
		where += " AND " + few
	}
	sums := map[int64]*[4]int64{} // by node<<valueBits | value
	if err := s.scanRows(ctx, q, paths, where, args, func(values []int64) error {
		if _, ok := origins[int32(values[1])]; !ok {
			return nil
		}
		key := values[3]<<valueBits | values[4]
		if sums[key] == nil {
			sums[key] = new([4]int64)
		}
		for i, v := range values[len(paths.keys):] {
			sums[key][i] = add(sums[key][i], v)
		}
		return nil
	}); err != nil {
		return err
	}
	list := s.cache.tree(sums)
	apis := map[registry.ID]*apiRow{}
	for i := range list {
		apis[list[i].ID] = nil
	}
	delete(apis, 0)
	if err := s.readAPIs(ctx, q, apis); err != nil {
		return err
	}
	whole := f.Package+f.Function+f.Kind == ""
	list = profile.KeepPaths(list, func(i int) bool {
		a := apis[list[i].ID]
		return whole && (a != nil || list[i].ID == 0) || a != nil && f.FitsAPI(&a.API)
	})
	p.Paths.Nodes = profile.NewPaths(list).Nodes
	for _, a := range apis {
		if a != nil && (whole || f.FitsAPI(&a.API)) {
			m := a.marker()
			m.CountOnly = true
			p.Markers = append(p.Markers, m)
		}
	}
	slices.SortFunc(p.Markers, func(a, b profile.Marker) int { return profile.CompareMarkers(&a, &b) })
	return nil
}

// tree returns the nodes with the sums, and those above them, parents before children.
func (c *rowCache) tree(sums map[int64]*[4]int64) (list []profile.Path) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	used := map[int64]int{} // index in list
	for key := range sums {
		for k := key >> valueBits; k > 0 && k <= int64(len(c.nodes)); k = c.nodes[k-1].parent {
			if _, ok := used[k]; ok {
				break
			}
			used[k] = 0
		}
	}
	for _, k := range slices.Sorted(maps.Keys(used)) {
		n := &c.nodes[k-1]
		one := profile.Path{Parent: -1, ID: registry.ID(n.api), Go: n.starts, Label: n.label}
		if n.parent > 0 {
			one.Parent = used[n.parent]
		}
		used[k] = len(list)
		list = append(list, one)
	}
	for _, key := range slices.Sorted(maps.Keys(sums)) {
		i, ok := used[key>>valueBits]
		if !ok {
			continue
		}
		n, row := &list[i], sums[key]
		value := key & (1<<valueBits - 1)
		if value == 0 {
			n.Count, n.SumNS, n.NestedNS, n.SelfNS = fromColumn(row[pathCount]), fromColumn(row[pathSum]), fromColumn(row[pathNested]), fromColumn(row[pathSelf])
			continue
		}
		name := c.names[value]
		at, ok := slices.BinarySearchFunc(n.Readings, name.collector, func(r profile.Reading, c string) int { return cmp.Compare(r.Collector, c) })
		if !ok {
			n.Readings = slices.Insert(n.Readings, at, profile.Reading{Collector: name.collector})
		}
		r := &n.Readings[at]
		if !name.of {
			r.Scopes, r.Dropped = fromColumn(row[pathCount]), fromColumn(row[pathSum])
			continue
		}
		v := profile.Value{Name: name.value, Sum: fromColumn(row[pathSum]), Nested: fromColumn(row[pathNested]), Self: fromColumn(row[pathSelf])}
		at, _ = slices.BinarySearchFunc(r.Values, v.Name, func(v profile.Value, name string) int { return cmp.Compare(v.Name, name) })
		r.Values = slices.Insert(r.Values, at, v)
	}
	return list
}

// readAPIs reads the APIs whose IDs are keys of apis.
func (s *Store) readAPIs(ctx context.Context, q queryer, apis map[registry.ID]*apiRow) error {
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(apis)), apisPerRead) {
		args, in := make([]any, len(ids)), ""
		for i, id := range ids {
			args[i] = int64(id)
			in += ", " + placeholder(i+1)
		}
		rows, err := q.QueryContext(ctx, "SELECT "+apiColumns+" FROM api WHERE id IN ("+in[2:]+")", args...)
		if err := each(rows, err, func() error {
			a := new(apiRow)
			err := a.scan(rows)
			apis[a.ID] = a
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}
