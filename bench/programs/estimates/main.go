// Command estimates runs one of several workloads, which counts the calls of its marked functions
// itself, and prints the counts, one per line. The counts that a sample of its calls gives are compared
// with them.
//
//	estimates KIND DURATION
package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

var kinds = map[string]func(over func() bool) (counts [2]uint64){
	"serial":   serial,
	"parallel": parallel,
	"naps":     naps,
	"workers":  workers,
	"phases":   phases,
	"tree":     tree,
	"bursts":   bursts,
}

// names lists the functions that a workload calls, in the order of its counts; the default is quick and
// slow.
var names = map[string][]string{"naps": {"request", "part"}, "workers": {"part", "quick"}, "bursts": {"brief"}}

func main() {
	d, err := time.ParseDuration(os.Args[2])
	if err != nil {
		panic(err)
	}
	end := time.Now().Add(d)
	counts := kinds[os.Args[1]](func() bool { return time.Now().After(end) })
	of := names[os.Args[1]]
	if of == nil {
		of = []string{"quick", "slow"}
	}
	for i, name := range of {
		fmt.Println(name, counts[i])
	}
}

// chain takes the time of steps multiplications that wait for one another.
func chain(steps int) (x uint64) {
	x = 1
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

//perf:mark
//go:noinline
func quick() uint64 { return chain(1500) }

//perf:mark
//go:noinline
func slow() uint64 { return chain(6000) }

//perf:mark
//go:noinline
func part() uint64 { return chain(8000) }

var word uint64

//perf:mark
//go:noinline
func brief() { word = word*6364136223846793005 + 1 }

// serial keeps one processor busy with one goroutine.
func serial(over func() bool) (counts [2]uint64) {
	for !over() {
		for i := range 20 {
			quick()
			counts[0]++
			if i%4 == 0 {
				slow()
				counts[1]++
			}
		}
	}
	return counts
}

// parallel runs serial on two goroutines.
func parallel(over func() bool) (counts [2]uint64) {
	return together(2, func() [2]uint64 { return serial(over) })
}

// naps runs four goroutines that work a little and then sleep for a millisecond.
func naps(over func() bool) (counts [2]uint64) {
	return together(4, func() (counts [2]uint64) {
		for !over() {
			request()
			counts[0]++
			counts[1] += 3
			time.Sleep(time.Millisecond)
		}
		return counts
	})
}

//perf:mark
//go:noinline
func request() {
	for range 3 {
		part()
	}
}

// workers runs two goroutines that execute jobs, and one that creates them.
func workers(over func() bool) (counts [2]uint64) {
	jobs := make(chan int)
	go func() {
		defer close(jobs)
		for !over() {
			quick()
			counts[1]++
			jobs <- 1
		}
	}()
	done := together(2, func() (counts [2]uint64) {
		for range jobs {
			part()
			counts[0]++
		}
		return counts
	})
	return [2]uint64{done[0], counts[1]}
}

// phases alternates between two kinds of work every 20 ms.
func phases(over func() bool) (counts [2]uint64) {
	for !over() {
		for i, f := range []func() uint64{quick, slow} {
			for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); counts[i]++ {
				f()
			}
		}
	}
	return counts
}

// tree is a recursive function.
func tree(over func() bool) (counts [2]uint64) {
	var walk func(n int)
	walk = func(n int) {
		quick()
		counts[0]++
		if n > 0 {
			walk(n - 1)
			slow()
			counts[1]++
			walk(n - 1)
		}
	}
	for !over() {
		walk(6)
	}
	return counts
}

// bursts calls a function of a few ns for 20 ms, then does nothing for 20 ms.
func bursts(over func() bool) (counts [2]uint64) {
	for !over() {
		for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); {
			for range 1000 {
				brief()
			}
			counts[0] += 1000
		}
		time.Sleep(20 * time.Millisecond)
	}
	return counts
}

// together runs f on n goroutines and adds up their counts.
func together(n int, f func() [2]uint64) (sum [2]uint64) {
	all := make([][2]uint64, n)
	var wg sync.WaitGroup
	for i := range all {
		wg.Add(1)
		go func() {
			defer wg.Done()
			all[i] = f()
		}()
	}
	wg.Wait()
	for _, counts := range all {
		sum[0] += counts[0]
		sum[1] += counts[1]
	}
	return sum
}
