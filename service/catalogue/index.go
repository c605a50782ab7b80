package catalogue

import (
	"strings"
	"sync"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/registry"
)

// An Index is the catalogue in memory. Its methods are safe for concurrent use.
type Index struct {
	mu       sync.RWMutex
	blocks   []*block
	n        int
	at       places
	packages packages
	files    words
	kinds    words
	changes  uint64 // number of changes
	ready    bool   // see Ready
}

// New returns an empty index.
func New() *Index {
	return &Index{packages: packages{words: words{}}}
}

// Len returns the number of APIs.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.n
}

// Changes returns a number that differs after each change.
func (x *Index) Changes() uint64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.changes
}

// Put adds APIs, or replaces those with the same IDs. It does not retain list.
func (x *Index) Put(list ...fleet.API) {
	if len(list) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.changes++
	for i := range list {
		x.put(&list[i])
	}
}

func (x *Index) put(a *fleet.API) {
	n, ok := x.at.find(x, a.ID)
	if !ok {
		if x.n%blockSize == 0 {
			x.blocks = append(x.blocks, new(block))
		}
		b := x.blocks[len(x.blocks)-1]
		b.add(x, a)
		x.n++
		x.at.add(x, a.ID)
		x.packages.count(b.pack[b.n-1], 1)
		return
	}
	b, i := x.blocks[n/blockSize], n%blockSize
	text, flags := textOf(a)
	if start, end := b.span(i); flags != b.flags[i] || text != b.texts.original(start, end) {
		b.rename(i, text, flags)
	}
	x.packages.count(b.pack[i], -1)
	b.set(x, i, a)
	x.packages.count(b.pack[i], 1)
}

// API returns an API; ok is false if it is not in the index.
func (x *Index) API(id registry.ID) (a fleet.API, ok bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	n, ok := x.at.find(x, id)
	if !ok {
		return a, false
	}
	return x.api(n), true
}

func (x *Index) api(n int) fleet.API { return x.blocks[n/blockSize].api(x, n%blockSize) }

// A words interns texts by number. The zero value is empty.
type words struct {
	names   []string
	numbers map[string]uint32
}

func (w *words) number(name string) uint32 {
	n, ok := w.numbers[name]
	if !ok {
		if w.numbers == nil {
			w.numbers = map[string]uint32{}
		}
		n = uint32(len(w.names))
		name = strings.Clone(name)
		w.names = append(w.names, name)
		w.numbers[name] = n
	}
	return n
}

// find returns the number of a name, if it has one.
func (w *words) find(name string) (n int, ok bool) {
	number, ok := w.numbers[name]
	return int(number), ok
}

// A packages has all current and former packages.
type packages struct {
	words
	apis  []int32 // current number of APIs of each
	texts folded  // lower-case paths
	end   []uint32
	sign  []signature
}

func (p *packages) number(path string) uint32 {
	n := p.words.number(path)
	if int(n) == len(p.end) {
		start := len(p.texts.text)
		p.texts.add(path)
		p.end = append(p.end, uint32(len(p.texts.text)))
		p.sign = append(p.sign, p.texts.signatureOf(start, len(p.texts.text)))
		p.apis = append(p.apis, 0)
	}
	return n
}

func (p *packages) count(n uint32, more int32) { p.apis[n] += more }

// span returns the range of a package's text.
func (p *packages) span(n uint32) (start, end int) {
	if n > 0 {
		start = int(p.end[n-1])
	}
	return start, int(p.end[n])
}

// A places maps IDs to APIs: a hash table with open addressing and a load of at most two thirds. It
// has four bytes per slot, where a map would take five times as much.
type places struct {
	table []uint32 // 1 + number of the API; 0 if free
}

// slot returns the first slot to probe for an ID. IDs are hashes, but senders may not comply:
// Fibonacci hashing.
func (p *places) slot(id registry.ID) int {
	return int(uint64(id) * 0x9e3779b97f4a7c15 >> 32 & uint64(len(p.table)-1))
}

func (p *places) find(x *Index, id registry.ID) (n int, ok bool) {
	if len(p.table) == 0 {
		return 0, false
	}
	for s := p.slot(id); p.table[s] != 0; s = (s + 1) & (len(p.table) - 1) {
		if n := int(p.table[s] - 1); x.blocks[n/blockSize].id[n%blockSize] == id {
			return n, true
		}
	}
	return 0, false
}

// add adds the last API.
func (p *places) add(x *Index, id registry.ID) {
	if 3*x.n > 2*len(p.table) {
		p.table = make([]uint32, max(1024, 2*len(p.table)))
		for n := range x.n - 1 {
			p.put(x.blocks[n/blockSize].id[n%blockSize], n)
		}
	}
	p.put(id, x.n-1)
}

func (p *places) put(id registry.ID, n int) {
	s := p.slot(id)
	for p.table[s] != 0 {
		s = (s + 1) & (len(p.table) - 1)
	}
	p.table[s] = uint32(n + 1)
}
