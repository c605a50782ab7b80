// Program between has scopes that goroutines are in, begin and end while one run is stopped and another
// begins: "between KIND COLLECT N" makes N pairs of runs that collect so, whose files are one0.markgen, two0.markgen and so on.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	perf "github.com/markgen/markgen/runtime/perf"
)

var (
	stop, leave atomic.Bool
	entered     atomic.Int64
)

// outer is entered in the first run.
//
//perf:mark
//go:noinline
func outer(inner func()) {
	entered.Add(1)
	for !stop.Load() {
		inner()
	}
}

//perf:mark
//go:noinline
func inner() {}

const workers = 4

func main() {
	kind, collect := os.Args[1], os.Args[2]
	n, err := strconv.Atoi(os.Args[3])
	must(err)
	for i := range n {
		stop.Store(false)
		leave.Store(false)
		entered.Store(0)
		must(perf.Configure(fmt.Sprintf("collect=%s,file=one%d.markgen", collect, i)))
		must(perf.Start())
		var all sync.WaitGroup
		for range workers {
			all.Go(func() {
				outer(inner)
				for !leave.Load() {
					runtime.Gosched()
				}
			})
		}
		for entered.Load() < workers {
			runtime.Gosched()
		}
		time.Sleep(time.Millisecond)
		if kind == "ending" {
			stop.Store(true)
		}
		must(perf.Stop())
		second := fmt.Sprintf("collect=%s,file=two%d.markgen", collect, i)
		if kind == "waiting" {
			second += ",start=after:1h"
		}
		must(perf.Configure(second))
		time.Sleep(time.Millisecond)
		stop.Store(true)
		leave.Store(true)
		all.Wait()
		perf.Finish()
	}
	fmt.Println("done")
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
