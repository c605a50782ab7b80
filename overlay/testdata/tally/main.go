// Command tally counts in many goroutines, and says how often it should have.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"

	"example.com/tally/lib"
	perf "github.com/markgen/markgen/runtime/perf"
)

var deep, leaf, loop atomic.Int64

func work(depth, passes int) {
	lib.Deep(depth)
	lib.Loop(passes)
	deep.Add(int64(depth + 1))
	leaf.Add(int64(depth + 1 + passes))
	loop.Add(int64(passes))
}

// waves has goroutines work that live long, and others on the stacks of those that have ended.
func waves() {
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 40 {
				work((g*37+i*11)%300, 2000)
			}
		})
	}
	for range 10 {
		var wave sync.WaitGroup
		for g := range 100 {
			wave.Go(func() {
				if work(g, 100*(g%3)); g%7 == 0 {
					perfectlyFine(func() { work(3*g, 10) })
				}
			})
		}
		wave.Wait()
	}
	all.Wait()
}

// home works often where one function after the other finds the same unit of stack in every run.
func home() {
	for range 100 {
		work(0, 100)
	}
}

// perfectlyFine calls f in a deferred call of a panic that it recovers.
func perfectlyFine(f func()) {
	defer func() { _ = recover() }()
	defer f()
	panic("fine")
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func say() { fmt.Println(deep.Swap(0), leaf.Swap(0), loop.Swap(0)) }

func main() {
	runs, _ := strconv.Atoi(os.Args[1])
	var ended atomic.Bool
	var others sync.WaitGroup
	if runs > 1 {
		for g := range 4 {
			others.Go(func() {
				for i := 0; !ended.Load(); i++ {
					work((g+i)%200, 3000)
				}
			})
		}
	}
	for run := 1; run < runs; run++ { // while others work
		waves()
		if run == runs-1 {
			ended.Store(true)
			others.Wait()
		}
		home()
		must(perf.Stop())
		if run == runs-1 {
			say()
		}
		must(perf.Configure("file=run" + strconv.Itoa(run+1) + ".markgen"))
	}
	home()
	waves()
	say()
}
