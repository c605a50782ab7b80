// Command allocs measures its own allocations: markers must not add any.
package main

import (
	"errors"
	"fmt"
	"testing"
)

type point struct{ x, y int }

var sink any

func add(p, q point) point { return point{p.x + q.x, p.y + q.y} }

func pointers(n int) (s int) {
	for i := range n {
		p := &point{i, i}
		s += p.x + p.y
	}
	return
}

func closures(n int) (s int) {
	f := func(i int) { s += i }
	for i := 0; i < n; i++ {
		func() {
			if i > 2 {
				f(i)
			}
		}()
	}
	return
}

func deferred(n int) (s int) {
	defer func() { s++ }()
	for i := range n {
		switch i {
		case 1:
			s += 2
		default:
			s++
		}
	}
	return
}

func loopDefers(n int) {
	for range n {
		defer func() {}()
	}
}

func escapes() *point { return &point{1, 2} }

func buffer() byte {
	var b [1024]byte
	xs := b[:0]
	for i := range 100 {
		xs = append(xs, byte(i))
	}
	return xs[50]
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

type options struct{ a, b [8]int }

//go:noinline
func (o *options) sum() int { return o.a[0] + o.b[7] }

// given is what a parameter points to that is given one: it does not leave the function.
//
//go:noinline
func given(o *options, n int) (s int) {
	if o == nil {
		o = &options{}
	}
	for range n {
		s += o.sum()
	}
	return s
}

var errNegative = errors.New("negative")

// early gives it away at its end alone, though it returns elsewhere, too.
//
//go:noinline
func early(list []int, n int) (int, []int, error) {
	if n < 0 {
		return 0, nil, errNegative
	}
	for i := range n {
		if i%3 == 2 {
			continue
		}
		list = append(list, i)
	}
	if len(list) > 100 {
		return len(list), nil, nil
	}
	return 1, list, errNegative
}

//go:noinline
func more(list []int, i int) []int { return append(list, i, i) }

// filled has somebody else make it grow.
//
//go:noinline
func filled(list []int, n int) []int {
	for i := range n {
		list = more(list, i)
		list = append(list, i)
	}
	return list
}

// looked looks at it.
//
//go:noinline
func looked(list []int, n int) []int {
	for i := range n {
		list = append(list, i)
		list[0] += sum(list)
	}
	if sum(list) < 0 {
		list = nil
	}
	return list
}

//go:noinline
func sum(list []int) (s int) {
	for _, v := range list {
		s += v
	}
	return s
}

func main() {
	for _, f := range []struct {
		name string
		do   func()
	}{
		{"add", func() { add(point{1, 2}, point{3, 4}) }},
		{"pointers", func() { pointers(10) }},
		{"closures", func() { closures(10) }},
		{"deferred", func() { deferred(10) }},
		{"loopDefers", func() { loopDefers(1) }},
		{"escapes", func() { sink = escapes() }},
		{"buffer", func() { buffer() }},
		{"fib", func() { fib(10) }},
		{"given", func() { given(nil, 3) }},
		{"early", func() { _, list, _ := early(nil, 9); sink = list }},
		{"filled", func() { sink = filled(nil, 9) }},
		{"looked", func() { sink = looked(nil, 9) }},
		{"make", func() { sink = make([]int, 10) }},
	} {
		fmt.Println(f.name, testing.AllocsPerRun(100, f.do))
	}
}
