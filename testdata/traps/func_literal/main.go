// Command func_literal has function literals in heads, in arguments, called at once, in package
// variables, in composite literals and in each other.
package main

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

var double = func(n int) int { return 2 * n }

var (
	table = map[string]func(...int) int{
		"sum": func(ns ...int) (s int) {
			for _, n := range ns {
				s += n
			}
			return
		},
		"len": func(ns ...int) int { return len(ns) },
	}
	once = func() int {
		if double(2) == 4 {
			return func() int { return 5 }()
		}
		return 0
	}()
	_ = func() int { fmt.Println("blank variable"); return 0 }()
)

type handler struct {
	name string
	do   func(string) string
}

func (h handler) with(f func(string) string) handler {
	return handler{h.name, func(s string) string { return f(h.do(s)) }}
}

func apply[T, U any](xs []T, f func(T) U) (us []U) {
	for _, x := range xs {
		us = append(us, f(x))
	}
	return
}

func heads() (s string) {
	for f, i := (func(n int) bool { return n < 3 }), 0; f(i); func() { i++ }() {
		s += fmt.Sprint(i)
	}
	for _, v := range func() []int { return []int{7, 8} }() {
		s += fmt.Sprint(v)
	}
	for v := range func(yield func(int) bool) { _ = yield(1) && yield(2) } {
		s += fmt.Sprint(v)
	}
	if f := func() bool { return s == "" }; f() {
		s += "empty"
	} else if g := func() bool { return !f() }; g() {
		s += "full"
	}
	switch f := func() string { return s[:1] }; f() {
	case func() string { return "0" }():
		s += "!"
	}
	select {
	case v := <-func() chan int { c := make(chan int, 1); c <- 9; return c }():
		s += fmt.Sprint(v)
	}
	return s
}

func recursive(n int) int {
	var fib func(int) int
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		return fib(n-1) + fib(n-2)
	}
	return fib(n)
}

func capture() (s string) {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i *= 10; return i })
	}
	for _, f := range fs {
		s += fmt.Sprint(f(), f(), " ")
	}
	x := 1
	inc := func() func() int { return func() int { x++; return x } }()
	inc()
	s += fmt.Sprint(inc(), x)
	return s
}

func deferred() (s string) {
	defer func() { s += "c" }()
	defer func(t string) { s += t }("b")
	defer func() func() { s += "1"; return func() { s += "2" } }()()
	s = "x"
	return func() string { s += "y"; return "a" }()
}

func goroutines() int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	n := 0
	for i := range 10 {
		wg.Add(1)
		go func(k int) {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			n += i * k
		}(i)
	}
	wg.Wait()
	return n
}

func main() {
	fmt.Println(double(4), table["sum"](1, 2, 3), table["len"](), once)
	fmt.Println(handler{"h", strings.ToUpper}.with(func(s string) string { return s + "!" }).do("hey"))
	fmt.Println(apply([]int{1, 2}, func(n int) string { return strings.Repeat("x", n) }))
	xs := []int{3, 1, 2}
	sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })
	fmt.Println(xs, heads(), recursive(12), capture(), deferred(), goroutines())
}
