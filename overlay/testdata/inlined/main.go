// Inlined prints what its functions allocate, and by which names they call others.
package main

import (
	"fmt"
	"runtime"
	"testing"
)

type item struct{ a, b, c int }

var limit = 100

// stack are the names of the functions that call it, the last call first.
//
//go:noinline
func stack() (s string) {
	pcs := make([]uintptr, 9)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if s += f.Function + " "; !more {
			return s
		}
	}
}

// once calls a literal in one place that returns what it makes.
func once(n int) int {
	get := func(i int) *item {
		if i > limit {
			fmt.Println("too much", i)
		}
		if i > limit+1 {
			fmt.Println("too much", i)
		}
		if i > limit+2 {
			fmt.Println("too much", i)
		}
		if i > limit+3 {
			fmt.Println("too much", i)
		}
		if i > limit+4 {
			fmt.Println("too much", i)
		}
		if i > limit+5 {
			fmt.Println("too much", i)
		}
		if i > limit+6 {
			fmt.Println("too much", i)
		}
		if i > limit+7 {
			fmt.Println("too much", i)
		}
		return &item{i, i * 2, i * 3}
	}
	t := get(n)
	return t.a + t.b
}

// set calls a literal that leaves what it makes in a variable around it.
func set(n int) int {
	var last *item
	func() {
		for i := range n {
			if i < limit {
				last = &item{i, i, i}
			}
			if i > limit {
				fmt.Println("too much", i)
			}
		}
	}()
	return last.a
}

// twice calls a literal in two places.
func twice(n int) int {
	get := func(i int) *item {
		for j := range i {
			if i > limit+j {
				fmt.Println("too much", i)
			}
		}
		return &item{i, i * 2, i * 3}
	}
	return get(n).a + get(n+1).b
}

// each gives what it makes to f.
func each(n int, f func(int) *item) int { return f(n).a + 1 }

// given gives a literal to a function that is inlined.
func given(n int) int {
	return each(n, func(i int) *item {
		for j := range i {
			if i > limit+j {
				fmt.Println("too much", i)
			}
		}
		return &item{i, i * 2, i * 3}
	})
}

// direct is not inlined, for the literal's cost is a part of its own.
func direct() (x string) {
	func() {
		for range 2 {
			for range 3 {
				x = stack()
			}
		}
	}()
	return x
}

// loops is inlined, and so is its literal.
func loops(n int) int {
	double := func() int {
		for range n {
			n += n
		}
		return n
	}
	return double()
}

// deep has a literal in a literal.
func deep() (x string) {
	func() {
		add := func(s string) {
			for range 2 {
				x += s
			}
		}
		add(stack())
	}()
	return x
}

// over goes over a function that is not inlined: what its loop shares with it is on the heap, and scopes are no part of that.
func over(n int) (sum int) {
	defer func() { recover() }()
	for i := range upTo(n) {
		if i > 1 {
			return sum
		}
		sum += i
	}
	return -1
}

//go:noinline
func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// polled calls what makes something or not, as a channel has it.
//
//go:noinline
func polled(n int) int {
	done := make(chan bool, 1)
	if t := next(done, n); t != nil {
		return t.a
	}
	return 0
}

func next(done chan bool, n int) *item {
	select {
	case stop, ok := <-done:
		if stop && ok {
			return nil
		}
	default:
	}
	return &item{n, n, n}
}

// chained goes over a function that goes over another, and is as long as it may be.
func chained(n int) (sum int) {
	for i := range pairs(n) {
		sum += i
	}
	return sum
}

func pairs(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range 3 {
			if !yield(i * n) {
				return
			}
		}
		if n > limit {
			n = limit
		}
		for i := range ones(func(n int) int { return n + 1 }(n)) {
			if i > limit {
				break
			}
			if i < -limit {
				continue
			}
			sum := least(i, n) + least(n, i)
			if i == sum && !yield(i+sum) {
				return
			}
		}
	}
}

//go:noinline
func least(a, b int) int { return min(a, b) }

func ones(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range 3 {
			if !yield(i * n) {
				return
			}
		}
	}
}

// long are functions of many statements, in another file.
var long []func(int) int

func main() {
	fmt.Println(direct())
	fmt.Println(deep())
	for _, f := range append(long, once, set, twice, given, loops, over, polled, chained) {
		fmt.Println(testing.AllocsPerRun(100, func() { f(3) }))
	}
}
