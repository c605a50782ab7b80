// Forms calls the functions of package lib and prints what they return, and how
// often each is passed.
package main

import (
	"fmt"
	"sync"

	"example.com/forms/lib"
)

func main() {
	passed := map[string]int{}
	count := func(name string, n int) { passed[name] += n }

	t := &lib.T{}
	for range 100 {
		t.Get()
		t.Add(1, "")
	}
	count("(*T).Get", 100)
	count("(*T).Add", 100)
	fmt.Println(t.Value(), t.Get())
	count("(*T).Get", 1)
	count("T.Value", 1)

	fmt.Println(lib.Wrap([]int{1, -2, 3}))
	count("Wrap", 1)
	count("Big", 1)
	count("Big:for#1", 3)
	fmt.Println(lib.Pair(nil))
	fmt.Println(lib.Pair([]int{1}))
	fmt.Println(lib.Pair([]int{1, 2, 3, 4}))
	count("Pair", 3)
	count("Pair:if#1.then", 1)
	count("Split", 2)
	count("Split:if#1.then", 1)
	count("Wrap", 1)
	count("Big", 1)
	count("Big:for#1", 1)
	fmt.Println(lib.Shadow([]int{5}))
	fmt.Println(lib.Shadow([]int{5, 5, 5, 5}))
	count("Shadow", 2)
	count("Split", 2)
	count("Split:if#1.then", 1)
	count("Shadow:if#1.then", 1)
	count("Wrap", 2)
	count("Big", 2)
	count("Big:for#1", 2)
	fmt.Println(lib.Sum(10), lib.Sums(1, 2, 3), lib.Sums())
	count("Sum", 4)
	count("Sum:for#1", 16)
	count("Sums", 2)
	count("Sums:for#1", 3)
	fmt.Println(lib.Fib(15))
	count("Fib", 1973)
	count("Fib:if#1.then", 987)
	fmt.Println(lib.Max(1, 2), lib.Max(2.5, 1))
	count("Max", 2)
	count("Max:if#1.then", 1)
	g := &lib.G[string, int]{}
	fmt.Println(g.First(7))
	count("(*G).First", 1)
	fmt.Println(lib.Labels(5))
	count("Labels", 1)
	count("Labels:for#1", 4)
	count("Labels:for#2", 7)
	count("Labels:switch#1.case#1", 3)
	count("Labels:switch#1.case#2", 1)
	count("Labels:switch#1.case#3", 2)
	count("Labels:switch#1.case#4", 3)

	for i := range 10 {
		fmt.Println(lib.Try([]int{1, i % 2}))
	}
	count("Try", 10)
	count("catch", 10)
	count("catch:if#1.then", 5)
	count("Fail", 10)
	count("fail", 10)
	count("fail:for#1", 20)
	count("fail:if#1.then", 5)
	count("Wrap", 5)
	count("Big", 5)
	count("Big:for#1", 10)

	fmt.Println(lib.Find([]int{1, 3, 5, 7}, 5))
	count("Find", 1)
	count("Find:func#1", 2)
	count("Search", 1)
	count("Search:for#1", 2)
	count("Search:if#1.then", 1)
	count("Search:if#1.else", 1)
	fmt.Println(lib.Caller(), lib.Named())
	count("Caller", 1)
	count("Named", 1)
	for _, f := range lib.Closures(3) {
		fmt.Print(f(), " ")
	}
	fmt.Println()
	count("Closures", 1)
	count("Closures:for#1", 3)
	count("Closures:func#1", 3)

	// What waits in a scope while others pass.
	c := make(chan int)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				lib.Chan(c)
				lib.Wrap(nil)
			}
		})
	}
	for range 400 {
		c <- 1
	}
	wait.Wait()
	count("Chan", 400)
	count("Wrap", 400)
	count("Big", 400)

	for i := range 3 {
		fmt.Println(lib.TryPlain([]int{i - 1}))
	}
	lib.Wrap(nil)
	// The one that panicked is ended by none but a scope that is opened after it.
	count("Fail", 3)
	count("fail", 3)
	count("fail:for#1", 3)
	count("fail:if#1.then", 1)
	count("Wrap", 3)
	count("Big", 3)
	count("Big:for#1", 2)

	var left sync.WaitGroup
	left.Add(1)
	go func() {
		defer left.Done()
		lib.Exit() // stays open, or is passed once
	}()
	left.Wait()
	for name, n := range passed {
		fmt.Println("passed", name, n)
	}
}
