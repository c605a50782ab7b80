//go:build go1.27

package inplace

import "testing"

// Methods with type parameters (Go 1.27) are marked like others.
func TestGenericMethods(t *testing.T) {
	checkRoundTrip(t, "main.go", []byte(`package p

type box[T any] struct{ v T }

func (b box[T]) mapped[U any](f func(T) U) box[U] { return box[U]{f(b.v)} }

func (b *box[T]) each[K comparable](m map[K]T, f func(K, T)) {
	for k, v := range m {
		if f != nil {
			f(k, v)
		}
	}
}
`))
}
