//go:build go1.27

package rewrite

import (
	"slices"
	"testing"
)

// Methods with type parameters (Go 1.27) are named without them and marked like others.
func TestGenericMethods(t *testing.T) {
	source := Source{"main.go", []byte(`package p

type box[T any] struct{ v T }

func (b box[T]) mapped[U any](f func(T) U) box[U] { return box[U]{f(b.v)} }

func (b *box[T]) each[K comparable](m map[K]T, f func(K, T)) {
	for k, v := range m {
		if f != nil {
			f(k, v)
		}
	}
}
`)}
	u, err := Load("example.com/p", []Source{source})
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Find(Options{All: true}); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range u.Points {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	want := []string{"example.com/p.(*box).each", "example.com/p.(*box).each:for#1", "example.com/p.(*box).each:if#1.then", "example.com/p.box.mapped"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	out, err := u.Overlay(Overlay{Runtime: "markgen/perf"})
	if err != nil {
		t.Fatal(err)
	}
	checkLines(t, source, out[source.Name])
}
