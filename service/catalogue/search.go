package catalogue

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/registry"
)

// A Found is the result of a query.
type Found struct {
	APIs  []fleet.API
	Total int    // number of all results; a lower bound if More
	More  bool   // there are more than Total
	Next  Cursor // After for the next page; "" at the end
}

// A Cursor is the position of an API in the results of a query; treat it as opaque.
//
// The order depends on the statistics of an API only by the bit length of its count. So an API
// moves when its count has doubled, rarely between two pages.
type Cursor string

// A place is the sort key of a result: quality, level (larger first), length of the name, text of
// the function, package, ID.
type place struct {
	quality quality // sum over the words
	level   uint8
	n       int // the API
}

// cursor returns the cursor of an API's place: quality, level, ID.
func (p place) cursor(id registry.ID) Cursor {
	return Cursor(fmt.Sprintf("%d-%d-%s", p.quality, p.level, id))
}

// place parses a cursor.
func (c Cursor) place(x *Index) (p place, err error) {
	var id string
	if _, err := fmt.Sscanf(string(c), "%d-%d-%16s", &p.quality, &p.level, &id); err == nil {
		if id, err := registry.ParseID(id); err == nil {
			if n, ok := x.at.find(x, id); ok {
				p.n = n
				if p.cursor(id) == c {
					return p, nil
				}
			}
		}
	}
	return place{}, fmt.Errorf("%q is no cursor; give the one that came with the page before, or none", string(c))
}

// compare compares two results by their sort keys.
func (x *Index) compare(p, q place) int {
	if p.quality != q.quality || p.level != q.level {
		return cmp.Or(cmp.Compare(p.quality, q.quality), cmp.Compare(q.level, p.level))
	}
	b, c := x.blocks[p.n/blockSize], x.blocks[q.n/blockSize]
	i, k := p.n%blockSize, q.n%blockSize
	if d := cmp.Compare(x.length(b, i), x.length(c, k)); d != 0 {
		return d
	}
	start, end := b.span(i)
	from, to := c.span(k)
	return cmp.Or(
		bytes.Compare(b.texts.text[start:end], c.texts.text[from:to]),
		cmp.Compare(x.packages.names[b.pack[i]], x.packages.names[c.pack[k]]),
		cmp.Compare(b.id[i], c.id[k]))
}

// length returns the length of a name's text.
func (x *Index) length(b *block, i int) int {
	start, end := b.span(i)
	if b.flags[i]&whole != 0 {
		return end - start
	}
	return end - start + 1 + len(x.packages.names[b.pack[i]])
}

// Search returns the results of a query. An error is about the cursor.
func (x *Index) Search(q Query) (Found, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := search{x: x, words: queryWords(q.Text), best: newTop(limit(q.Limit), x.compare)}
	if q.After != "" {
		after, err := q.After.place(x)
		if err != nil {
			return Found{}, err
		}
		s.after, s.paged = after, true
	}
	kind, pack, ok := -1, -1, true
	if q.Kind != "" {
		kind, ok = x.kinds.find(q.Kind)
	}
	if q.Package != "" && ok {
		pack, ok = x.packages.find(q.Package)
	}
	if ok {
		s.classify()
		s.run(kind, pack)
	}
	return s.found(), nil
}

// A search scans all APIs and keeps the best.
type search struct {
	x       *Index
	words   []word
	after   place
	paged   bool
	classes []class
	classOf []uint32 // of each package

	total     int
	uncounted bool // some results are not in total
	more      bool // there are results after the best
	best      *top[place]
}

// A class is a set of packages that match the words in the same way.
type class struct {
	need signature // what texts of its functions must have
	fits []fit     // for each word
}

type fit struct {
	pack      quality // of the word and the package
	divisions []division
	best      quality // min of pack and divisions
}

// classify assigns a class to each package. The first class is for names without a package.
func (s *search) classify() {
	x := s.x
	s.classOf = make([]uint32, len(x.packages.names))
	index := map[string]uint32{}
	class := func(fits []fit, key string) uint32 {
		n, ok := index[key]
		if !ok {
			n = uint32(len(s.classes))
			index[key] = n
			s.classes = append(s.classes, s.class(fits))
		}
		return n
	}
	none := make([]fit, len(s.words))
	for i := range none {
		none[i].pack = nowhere
	}
	noneKey := ""
	for range s.words {
		noneKey += string([]byte{nowhere, '|'})
	}
	class(slices.Clone(none), noneKey)
	var key []byte
	for n := range s.classOf {
		if x.packages.apis[n] == 0 {
			continue
		}
		start, end := x.packages.span(uint32(n))
		some := false
		fits := none
		for i := range s.words {
			w := &s.words[i]
			f := fit{pack: nowhere}
			if x.packages.sign[n].has(w.need) {
				f.pack = w.inPackage(&x.packages.texts, start, end)
			}
			f.divisions = w.divisions(&x.packages.texts, start, end)
			if f.pack != nowhere || f.divisions != nil {
				if !some {
					some, fits = true, slices.Clone(none)
				}
				fits[i] = f
			}
		}
		if !some {
			continue
		}
		key = key[:0]
		for _, f := range fits {
			key = append(key, f.pack)
			for _, d := range f.divisions {
				key = append(key, byte(d.dot), d.whole, d.begin)
			}
			key = append(key, '|')
		}
		s.classOf[n] = class(fits, string(key))
	}
}

// class returns the class of packages with these fits.
func (s *search) class(fits []fit) class {
	c := class{fits: fits}
	for i := range fits {
		f, w := &fits[i], &s.words[i]
		f.best = f.pack
		need := w.need
		for _, d := range f.divisions {
			f.best = min(f.best, d.whole, d.begin)
			need = need.and(within(w.text[d.dot+1:])) // the part after a dot needs less
		}
		if f.pack == nowhere {
			c.need.letters |= need.letters
			c.need.pairs |= need.pairs
		}
	}
	return c
}

// bound returns a lower bound of the quality of the i-th name, which is of class c, mostly from its
// signature. It has few branches, as they are unpredictable.
func (s *search) bound(c *class, b *block, i int, isWhole bool) (sum quality) {
	sign := &b.sign[i]
	for k := range c.fits {
		w := &s.words[k]
		best := anywhere - quality(sign.letters>>w.firstAt&1)*(anywhere-asBegin)
		if b.ends[i] == w.end {
			best = min(best, w.atEnd(b, i, isWhole))
		}
		sum += min(best, c.fits[k].best)
	}
	return sum
}

// one returns 1 if is, else 0.
func one(is bool) (n uint64) {
	if is {
		n = 1
	}
	return n
}

// key encodes quality and level in the order of places.
func key(q quality, level uint8) uint16 { return uint16(q)<<8 | uint16(255-level) }

// run scans all APIs.
//
// An API that can't be among the best, by its signature and level, is only matched to count it, and
// not even that once countedTo are found.
func (s *search) run(kind, pack int) {
	full := false
	last := ^uint16(0) // key of the last of the best, once there are enough
	var room [blockSize]uint16
	for number, b := range s.x.blocks {
		for _, n := range s.candidates(b, kind, pack, &room) {
			i := int(n) % blockSize
			isWhole := b.flags[i]&whole != 0
			c := s.classAt(b, i)
			if full && s.more && s.total >= countedTo && key(s.bound(c, b, i, isWhole), b.level[i]) > last {
				s.uncounted = true
				continue
			}
			quality, ok := s.quality(c, b, i, isWhole)
			if !ok {
				continue
			}
			s.total++
			p := place{quality, b.level[i], number*blockSize + i}
			if s.paged && s.x.compare(p, s.after) <= 0 {
				continue
			}
			s.more = s.more || full
			if s.best.add(p) {
				if lowest, enough := s.best.last(); enough {
					full, last = true, key(lowest.quality, lowest.level)
				}
			}
		}
	}
}

// classAt returns the class of the i-th name.
func (s *search) classAt(b *block, i int) *class {
	if len(s.classes) == 1 || b.flags[i]&whole != 0 {
		return &s.classes[0]
	}
	return &s.classes[s.classOf[b.pack[i]]]
}

// candidates returns the APIs of a block whose signature has what their class needs, and which are
// of a kind and a package, unless negative.
func (s *search) candidates(b *block, kind, pack int, room *[blockSize]uint16) []uint16 {
	n := uint(0)
	signs := b.sign[:b.n]
	if need := s.classes[0].need; len(s.classes) == 1 {
		for i := range signs {
			room[n%blockSize] = uint16(i)
			n += uint(one(signs[i].has(need)))
		}
	} else {
		for i := range signs {
			room[n%blockSize] = uint16(i)
			n += uint(one(signs[i].has(s.classAt(b, i).need)))
		}
	}
	list := room[:n]
	if kind >= 0 || pack >= 0 {
		list = slices.DeleteFunc(list, func(i uint16) bool {
			return kind >= 0 && int(b.kind[i]) != kind || pack >= 0 && int(b.pack[i]) != pack
		})
	}
	return list
}

// quality returns the sum of the words' qualities for a name; ok is false if a word does not match.
func (s *search) quality(c *class, b *block, i int, isWhole bool) (sum quality, ok bool) {
	start, end := b.span(i)
	for k := range s.words {
		w, f := &s.words[k], &c.fits[k]
		q := f.pack
		if b.sign[i].has(w.need) {
			q = min(q, w.in(&b.texts, start, end, isWhole))
		}
		for _, d := range f.divisions {
			q = min(q, w.behind(d, &b.texts, start, end))
		}
		if q == nowhere {
			return 0, false
		}
		sum += q
	}
	return sum, true
}

// found returns the result of the search.
func (s *search) found() Found {
	best := s.best.sorted()
	f := Found{Total: s.total, More: s.uncounted, APIs: make([]fleet.API, len(best))}
	for i, p := range best {
		f.APIs[i] = s.x.api(p.n)
	}
	if s.more {
		last := len(best) - 1
		f.Next = best[last].cursor(f.APIs[last].ID)
	}
	return f
}
