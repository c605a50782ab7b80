//go:build go1.27

package main

import (
	"fmt"
	"iter"
)

// Methods have type parameters of their own from Go 1.27 on.

type box[T any] struct{ v T }

func (b box[T]) mapped[U any](f func(T) U) box[U] { return box[U]{f(b.v)} }

func (b *box[T]) each[K comparable, V number](m map[K]V, f func(T, K, V) bool) (n int, total V) {
	defer func() { recover(); n++ }()
	for k, v := range m {
		if total += v; !f(b.v, k, v) {
			panic("stop")
		}
		n++
	}
	return
}

func (box[T]) sequence[U any](us ...U) iter.Seq[U] {
	return func(yield func(U) bool) {
		for _, u := range us {
			switch any(u).(type) {
			case T:
				continue
			default:
				if !yield(u) {
					return
				}
			}
		}
	}
}

func (b box[_]) fold[A, B any](a A, n int, f func(A, int) (A, B)) (bs []B) {
	for i := range n {
		var x B
		a, x = f(a, i)
		bs = append(bs, x)
	}
	return bs
}

func init() {
	newer = func() {
		b := box[int]{3}
		fmt.Println(b.mapped(func(i int) string { return fmt.Sprint(i, "!") }).mapped(func(s string) int { return len(s) }).v)
		fmt.Println(b.each(map[string]float64{"a": 1.5}, func(int, string, float64) bool { return true }))
		fmt.Println(b.each(map[string]int{"a": 1}, func(int, string, int) bool { return false }))
		for x := range b.sequence[any](1, "a", 2.5) {
			fmt.Print(x, " ")
		}
		fmt.Println(b.fold("", 3, func(s string, i int) (string, int) { return s + "x", len(s) + i }))
		f := b.mapped[string]
		fmt.Printf("%T\n", f)
	}
}
