package catalogue

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/registry"
)

// An Order is the sort order of a list.
type Order int

// Sort orders. Ties are sorted by ID.
const (
	ByName   Order = iota // by package, then by name without regard to case
	ByTime                // largest total time first
	ByCalls               // most calls first
	ByFirst               // latest first arrival first
	ByChange              // latest change first
)

// A List selects and sorts APIs. The zero value selects all, by name.
type List struct {
	Order   Order
	Kind    string      // "func", "loop" …; "" for any
	Package string      // complete import path; "" for any
	Inside  registry.ID // only markers in this function; 0 for any
	Came    time.Time   // only those that first arrived then or later
	Changed time.Time   // only those that changed then or later
	Known   time.Time   // only those that first arrived before; zero for any
	After   registry.ID // last ID of the previous part; 0 to start
	Limit   int         // max length, up to MostFound; 0 for 50
}

// A Listed is a part of a list.
type Listed struct {
	APIs  []fleet.API
	Total int         // length of the complete list
	Next  registry.ID // After for the next part; 0 at the end
}

// List returns a part of a list. It is empty if l.After is not in the index.
func (x *Index) List(l List) (out Listed) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	keep, ok := x.filter(l)
	if !ok {
		return out
	}
	compare := x.order(l.Order)
	after := -1
	if l.After != 0 {
		if after, ok = x.at.find(x, l.After); !ok {
			return out
		}
	}
	best := newTop(limit(l.Limit), compare)
	more := false
	for number, b := range x.blocks {
		for i := range b.n {
			if !keep(b, i) {
				continue
			}
			out.Total++
			n := number*blockSize + i
			if after >= 0 && compare(n, after) <= 0 {
				continue
			}
			more = more || len(best.heap) == best.limit
			best.add(n)
		}
	}
	for _, n := range best.sorted() {
		out.APIs = append(out.APIs, x.api(n))
	}
	if more {
		out.Next = out.APIs[len(out.APIs)-1].ID
	}
	return out
}

// filter returns a function that selects the APIs of a list; ok is false if there are none.
func (x *Index) filter(l List) (keep func(b *block, i int) bool, ok bool) {
	kind, pack, text := -1, -1, []byte(nil)
	var of *folded
	if l.Kind != "" {
		if kind, ok = x.kinds.find(l.Kind); !ok {
			return nil, false
		}
	}
	if l.Package != "" {
		if pack, ok = x.packages.find(l.Package); !ok {
			return nil, false
		}
	}
	if l.Inside != 0 {
		n, ok := x.at.find(x, l.Inside)
		if !ok {
			return nil, false
		}
		b, i := x.blocks[n/blockSize], n%blockSize
		of = new(folded)
		start, end := b.span(i)
		of.add(b.texts.original(start, end) + ":")
		pack, text = int(b.pack[i]), of.text
	}
	bound := func(t time.Time, otherwise int64) int64 {
		switch {
		case t.IsZero():
			return otherwise
		case t.Before(time.Unix(0, math.MinInt64)):
			return math.MinInt64
		case t.After(time.Unix(0, math.MaxInt64)): // 2262
			return math.MaxInt64
		}
		return t.UnixNano()
	}
	came, changed, before := bound(l.Came, math.MinInt64), bound(l.Changed, math.MinInt64), bound(l.Known, math.MaxInt64)
	return func(b *block, i int) bool {
		if kind >= 0 && int(b.kind[i]) != kind || pack >= 0 && int(b.pack[i]) != pack || b.first[i] < came || b.first[i] >= before || b.change[i] < changed {
			return false
		}
		if text == nil {
			return true
		}
		start, end := b.span(i)
		if !bytes.HasPrefix(b.texts.text[start:end], text) {
			return false
		}
		for k := range text {
			if b.texts.capital.has(start+k) != of.capital.has(k) {
				return false
			}
		}
		return true
	}, true
}

// order returns a function that compares APIs by their numbers.
func (x *Index) order(o Order) func(n, m int) int {
	by := func(compare func(b *block, i int, c *block, k int) int) func(n, m int) int {
		return func(n, m int) int {
			b, c, i, k := x.blocks[n/blockSize], x.blocks[m/blockSize], n%blockSize, m%blockSize
			if d := compare(b, i, c, k); d != 0 { // nearly always
				return d
			}
			return cmp.Compare(b.id[i], c.id[k])
		}
	}
	switch o {
	case ByTime:
		return by(func(b *block, i int, c *block, k int) int {
			t, u := &b.total[i], &c.total[k]
			if t.Hi != u.Hi {
				return cmp.Compare(u.Hi, t.Hi)
			}
			return cmp.Compare(u.Lo, t.Lo)
		})
	case ByCalls:
		return by(func(b *block, i int, c *block, k int) int { return cmp.Compare(c.count[k], b.count[i]) })
	case ByFirst:
		return by(func(b *block, i int, c *block, k int) int { return cmp.Compare(c.first[k], b.first[i]) })
	case ByChange:
		return by(func(b *block, i int, c *block, k int) int { return cmp.Compare(c.change[k], b.change[i]) })
	}
	return by(func(b *block, i int, c *block, k int) int {
		if p, q := b.pack[i], c.pack[k]; p != q {
			return cmp.Compare(x.packages.names[p], x.packages.names[q])
		}
		start, end := b.span(i)
		from, to := c.span(k)
		return bytes.Compare(b.texts.text[start:end], c.texts.text[from:to])
	})
}

// A Package is a package that has APIs.
type Package struct {
	Path string
	APIs int
}

// Packages returns up to limit packages that have APIs, sorted by path, of those after a path (""
// for all). total is the number of all.
func (x *Index) Packages(after string, limit int) (list []Package, total int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	first := newTop(max(1, limit), func(a, b Package) int { return cmp.Compare(a.Path, b.Path) })
	for n, apis := range x.packages.apis {
		if apis == 0 {
			continue
		}
		total++
		if path := x.packages.names[n]; path > after || after == "" {
			first.add(Package{path, int(apis)})
		}
	}
	return slices.Clip(first.sorted()), total
}
