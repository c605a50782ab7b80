package reporttest

import (
	"fmt"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/report"
)

const heapText = `// Package heap keeps things in order. It does more.
package heap

// A Heap is one.
type Heap[T any] struct{ list []T }

// New returns a [Heap] that orders
// by less. The second sentence is left out.
//
//go:noinline
func New[T any](less func(a, b T) bool,
	list ...T) (h *Heap[T]) {
	return nil
}

// Push adds x.
func (h *Heap[T]) Push(x T) {}

func (h *Heap[T]) up(i int) {}

// parse is named by a directive.
func parse() {}
`

// Library returns a profile of libraries: the names of markers, their places, and their counts.
func Library() *profile.Profile {
	p := profiletest.Random(400, 5)
	figures := p.Markers
	timed := slices.IndexFunc(figures, func(m profile.Marker) bool { return m.Kind == "func" && m.Count > 1000 })
	unvisited := slices.IndexFunc(figures, func(m profile.Marker) bool { return m.Kind == "func" && m.Count == 0 })
	p.Markers = nil
	for i, f := range []struct {
		pkg, name, kind, file string
		line                  int
		visited               bool
	}{
		{"example.com/app", "Main", "func", "main.go", 3, true},
		{"example.com/lib/heap", "(*Heap).Push", "func", "heap/heap.go", 18, true},
		{"example.com/lib/heap", "(*Heap).up", "func", "heap/heap.go", 20, true},
		{"example.com/lib/heap", "(*Heap).up:for#1", "loop", "heap/heap.go", 21, true},
		{"example.com/lib/heap", "New", "func", "heap/heap.go", 11, true},
		{"example.com/lib/heap", "New:func#1", "func", "heap/heap.go", 12, true},
		{"example.com/lib/heap", "parse <headers>", "func", "heap/heap.go", 22, true},
		{"example.com/lib/heap", "TestNew", "func", "heap/heap_test.go", 9, true},
		{"example.com/lib/internal/wire", "Encode", "func", "internal/wire/wire.go", 5, true},
		{"example.com/lib/v2", "Open", "func", "v2/lib.go", 5, false},
		{"example.com/other/heap", "Fix", "func", "other/heap.go", 5, true},
		{"example.com/other/heap", "New", "func", "other/heap.go", 9, true},
	} {
		m := figures[timed]
		if !f.visited {
			m = figures[unvisited]
		}
		m.ID, m.Package, m.Name, m.Kind, m.File, m.Line = registry.ID(0xa0+i), f.pkg, f.pkg+"."+f.name, f.kind, f.file, f.line
		m.Buckets = slices.Clone(m.Buckets)
		p.Markers = append(p.Markers, m)
	}
	return p
}

// LibrarySource returns the source of Library: a file with documentation, one without, one that does
// not parse, and an error for the others.
func LibrarySource(_, file string, std bool) (report.Source, error) {
	switch file {
	case "heap/heap.go":
		return report.Source{Text: heapText}, nil
	case "main.go":
		return report.Source{Text: "package main\n\nfunc Main() {}\n"}, nil
	case "other/doc.go":
		return report.Source{Text: "// Package heap is another.\npackage heap\n"}, nil
	case "other/heap.go":
		return report.Source{Text: "package heap // broken {{{\n\nfunc Fix(\n"}, nil
	}
	return report.Source{}, fmt.Errorf("%s is not here", file)
}

// Allocating is Library with allocations, which have buckets in the page: many for New, none for
// Push.
func Allocating() *profile.Profile {
	p := Library()
	for i := range p.Markers {
		m := &p.Markers[i]
		r := profile.Reading{Collector: profile.Alloc, Scopes: m.Timed(), Values: []profile.Value{{Name: profile.AllocBytes}, {Name: profile.AllocObjects}}}
		switch m.Name {
		case "example.com/lib/heap.New":
			m.Notes = []string{"recursive: outermost calls"}
			r.Scopes, r.Dropped = 4, 1
			r.Values[0] = profile.Value{Name: profile.AllocBytes, Sum: 4144, Self: 48, Buckets: []profile.ValueBucket{
				{K: 0, Count: 1}, {K: 5, Count: 2, Sum: 48, SumSq: profile.Uint128{Lo: 1152}}, {K: 13, Count: 1, Sum: 4096, SumSq: profile.Uint128{Lo: 4096 * 4096}}}}
			r.Values[1] = profile.Value{Name: profile.AllocObjects, Sum: 7, Self: 2, Buckets: []profile.ValueBucket{{K: 0, Count: 1}, {K: 1, Count: 2, Sum: 2, SumSq: profile.Uint128{Lo: 2}}, {K: 3, Count: 1, Sum: 5, SumSq: profile.Uint128{Lo: 25}}}}
		default:
			r.Values[0].Buckets = []profile.ValueBucket{{K: 0, Count: r.Scopes}}
			r.Values[1].Buckets = []profile.ValueBucket{{K: 0, Count: r.Scopes}}
		}
		if r.Scopes > 0 {
			m.Readings = []profile.Reading{r}
		}
	}
	return p
}
