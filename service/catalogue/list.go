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

// An Order is one that APIs are listed in.
type Order int

// Orders. Equal ones are in the order of their IDs.
const (
	ByName   Order = iota // without regard to capitals, by package first
	ByTime                // the most time in all first
	ByCalls               // what is called most first
	ByFirst               // what came last for the first time first
	ByChange              // what changed last first
)

// A List asks for APIs in an order. Its zero value asks for all by name.
type List struct {
	Order   Order
	Kind    string      // "func", "loop" …; "": any
	Package string      // whole import path; "": any
	Inside  registry.ID // only markers in the function; 0: any
	Came    time.Time   // only those that came then or later
	Changed time.Time   // only those that changed then or later
	Known   time.Time   // only those that came before; zero: any
	After   registry.ID // the last one that was seen; 0: from the beginning
	Limit   int         // at most, up to MostFound; 0: 50
}

// Listed is a part of a list.
type Listed struct {
	APIs  []fleet.API
	Total int         // how many there are in all
	Next  registry.ID // to go on after; 0: these were the last
}

// List returns a part of a list. After an API that is not there it is empty.
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

// filter tells which APIs belong into a list; ok is false if none can.
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

// order compares APIs by their numbers.
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

// A Package is one that has APIs.
type Package struct {
	Path string
	APIs int
}

// Packages returns the packages that have APIs, by path, from the first after a path on: limit at most. total is how
// many there are in all.
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
