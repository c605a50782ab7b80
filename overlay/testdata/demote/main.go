// Command demote passes markers of all forms a number of times that is known, from many goroutines.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
)

// steps is a loop with a branch in it.
func steps(n int) (s uint64) {
	for i := range n {
		if i%3 == 0 {
			s += uint64(i)
		}
	}
	return s
}

type list []int

// sum is a method over a small loop, in a function that defers.
func (l list) sum() (s int) {
	defer func() { s++ }()
	for _, x := range l {
		s += x
	}
	return s
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

// nest calls itself in a loop, so that each is inside the other.
func nest(n int) (s int) {
	for i := range min(n, 1) {
		s += i + nest(n-1)
	}
	return s + 1
}

// fails panics in a loop, and is recovered outside of it.
func fails(n int) (last int) {
	defer func() {
		if recover() != nil {
			last++
		}
	}()
	for i := range n {
		last = i
		if i == n-1 {
			panic(i)
		}
	}
	return last
}

// leaves ends its goroutine in a loop.
func leaves(n int) {
	for i := range n {
		if i == n-1 {
			runtime.Goexit()
		}
	}
}

func generic[T any](list []T, f func(T)) {
	for _, x := range list {
		f(x)
	}
}

func work(rounds int) {
	for i := range rounds {
		use(steps(30))
		_ = list{1, 2, 3}.sum()
		_ = fib(5)
		_ = nest(20)
		_ = fails(4)
		_ = interpret([]int{i, 7, i + 1, 7})
		generic([]int{1, 2}, func(int) {
			if i%100 == 0 {
				runtime.Gosched()
			}
		})
	}
}

//go:noinline
func use(uint64) {}

func main() {
	rounds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() { work(rounds) })
		runtime.GOMAXPROCS(1 + g%3)
	}
	for range rounds {
		all.Go(func() { leaves(3) })
	}
	all.Wait()
	fmt.Println("done")
}
