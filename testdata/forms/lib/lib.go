// Package lib has functions of every shape that a form has to cope with. Each
// tells how often it is passed: count(NAME, n) behind a call of it.
package lib

import (
	"errors"
	"runtime"
	"strings"
)

type T struct{ n int }

type G[K comparable, V any] struct{ m map[K]V }

func (t *T) Get() int { return t.n }

func (t *T) Add(int, string) (_ int, err error) {
	t.n++
	return t.n, nil
}

func (T) Value() string { return strings.Repeat("v", 2) }

func (g *G[K, V]) Put(k K, v V) *G[K, V] {
	g.m[k] = v
	return g
}

func (g *G[_, V]) First(def V) V {
	for _, v := range g.m {
		return v
	}
	return def
}

func Wrap(x []int) int { return Big(x) }

func Pair(x []int) (int, error) {
	if len(x) == 0 {
		return 0, errors.New("none")
	}
	return Split(x)
}

func Split(x []int) (n int, err error) {
	if len(x) > 3 {
		err = errors.New("many")
		return
	}
	return Wrap(x), nil
}

func Shadow(x []int) (n int, err error) {
	if n, err := Split(x); err != nil {
		return n, err
	}
	return Wrap(x), nil
}

func Big(x []int) int {
	s := 0
	for i, v := range x {
		if v < 0 {
			continue
		}
		s += x[i] * 2
	}
	return s
}

func Sum(n int) int {
	s := 0
	for i := 0; i < n; i++ {
		s += i
	}
	return s
}

func Sums(ns ...int) (total int) {
	for _, n := range ns {
		total += Sum(n)
	}
	return
}

func Fib(n int) int {
	if n < 2 {
		return n
	}
	return Fib(n-1) + Fib(n-2)
}

func Max[T int | float64](a, b T) T {
	if a > b {
		return a
	}
	return b
}

func Labels(n int) (hits int) {
outer:
	for i := range n {
		for j := range n {
			switch {
			case j == i:
				continue outer
			case i == 3:
				break outer
			case j%2 == 0:
				hits++
				fallthrough
			default:
				hits++
			}
		}
	}
	if hits > 100 {
		goto end
	}
	hits--
end:
	return hits
}

func Fail(x []int) int { return fail(x) }

func fail(x []int) int {
	for _, v := range x {
		if v == 0 {
			panic("zero")
		}
	}
	return Wrap(x)
}

func Try(x []int) (n int, err error) {
	defer catch(&err)
	return Fail(x), nil
}

func catch(err *error) {
	if r := recover(); r != nil {
		*err = errors.New(r.(string))
	}
}

// TryPlain recovers in a way that no marker sees.
//
//perf:skip
func TryPlain(x []int) (n int) {
	defer func() { n-- }()
	func() {
		defer recoverPlain()
		n = Fail(x)
	}()
	return n
}

//perf:skip
func recoverPlain() { recover() }

func Search(n int, f func(int) bool) int {
	i, j := 0, n
	for i < j {
		h := int(uint(i+j) >> 1)
		if !f(h) {
			i = h + 1
		} else {
			j = h
		}
	}
	return i
}

func Find(a []int, x int) int {
	return Search(len(a), func(i int) bool { return a[i] >= x })
}

func Exit() { runtime.Goexit() }

func Chan(c chan int) int { return <-c }

func Caller() int {
	_, _, line, _ := runtime.Caller(1)
	return line
}

func Named() (s string) {
	s = strings.ToUpper("x")
	return s + strings.ToLower("Y")
}

func Closures(n int) (fs []func() int) {
	for i := range n {
		fs = append(fs, func() int { return i * n })
	}
	return fs
}
