package rewrite

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestIndirect(t *testing.T) {
	const text = `package p

type input interface {
	step(int) int
	peek() int
	last() int
	Next() int
}

type bytes struct{ b []byte }

func (b *bytes) step(i int) int { return next(i) }
func (b *bytes) peek() int      { return next(0) }
func (b *bytes) last() int      { return next(1) }
func (b *bytes) Next() int      { return next(2) }
func (b *bytes) other() int     { return next(3) }

type text struct{ s string }

func (t text) step(i int) int { return next(i) }
func (t text) peek() int      { return next(0) }
func (t text) last() int      { return next(1) }
func (t text) Next() int      { return next(2) }

type machine struct {
	in   input
	own  text
	held *bytes
}

func (m *machine) step(i int) int { return next(i) }

type wrapped struct{ text }

func run(m *machine, in input, w wrapped, b *bytes) {
	in.step(1)
	m.in.step(2)
	m.step(3)
	b.peek()
	m.own.peek()
	w.last()
	local := in
	local.Next()
	state := first
	state = second
	state(generic[int](third()))
}

func first(i int) int          { return next(i) }
func second(i int) int         { return next(i) }
func third() int               { return next(3) }
func generic[T any](i int) int { return next(i) }
`
	u, err := Load("p", []Source{{"p.go", []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Find(Options{All: true, Inline: true}); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, fn := range u.files[0].functions {
		if fn.indirect {
			found[MethodKey(fn.decl)] = true
			if fn.form == formOpen && !fn.allocates() {
				t.Errorf("%s is open", MethodKey(fn.decl))
			}
		}
	}
	got := strings.Join(slices.Sorted(maps.Keys(found)), " ")
	if want := "bytes.step first run second text.step"; got != want {
		t.Errorf("called by no name: %s; want %s", got, want)
	}
}
