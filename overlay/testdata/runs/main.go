// Runs follow each other without a pause while goroutines pass markers: argument 1 is how many. Those on the
// way are of all kinds. Then everybody waits in a scope, and in the last run quiet is passed a thousand times.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	perf "github.com/markgen/markgen/runtime/perf"
)

var (
	sums  [64]int
	over  atomic.Bool
	ended = make(chan bool)
)

//perf:mark
func work(k int) {
	for i := range 50 {
		//perf:begin step
		sums[k] += i
		//perf:end step
	}
}

//perf:mark
func deep(n int) int {
	if n == 0 {
		panic("deep")
	}
	return deep(n-1) + 1
}

//perf:mark
func caught() {
	defer func() { recover() }()
	deep(5)
}

//perf:mark
func left() {
	runtime.Goexit()
}

// session is open from before the runs until after them.
//
//perf:mark
func session(k int, group *sync.WaitGroup) {
	for !over.Load() {
		work(k)
		caught()
		perf.StartWatch("watch")
		go left()
		runtime.Gosched()
		perf.StopWatch("watch")
	}
	group.Done()
	<-ended
}

//perf:mark
func quiet() { sums[63]++ }

func main() {
	specs := []string{
		"file=%s",
		"file=%s,stop=count:*.work:40;records:100000",
		"file=%s,collect=trace",
		"file=%s,sample=1:2",
		"file=%s,stop=on:*.caught,pause=on:*.caught,resume=on:*.deep,outermost",
		"file=%s,noself,clock=mono",
		"file=%s,every=2ms:1ms,callers",
		"file=%s,sample=1:3,countdown,enough=100",
		"file=%s,pairs,collect=time+io",
	}
	var group sync.WaitGroup
	for k := range 4 {
		group.Add(1)
		go session(k, &group)
	}
	runs, _ := strconv.Atoi(os.Args[1])
	for i := range runs {
		spec := fmt.Sprintf(specs[i%len(specs)], fmt.Sprintf("run%d.markgen", i))
		if err := perf.Configure(spec); err != nil {
			fmt.Println(spec, err)
		}
		for range 20 {
			quiet()
			runtime.Gosched()
		}
		for perf.State() != perf.StateStopped {
			if perf.State() == perf.StateConfigured {
				quiet()
			}
			perf.Stop()
		}
	}
	over.Store(true)
	group.Wait()
	if err := perf.Configure("file=last.markgen"); err != nil {
		fmt.Println(err)
	}
	for range 1000 {
		quiet()
	}
	close(ended)
	for runtime.NumGoroutine() > 1 {
		runtime.Gosched()
	}
	perf.Stop()
	fmt.Println("done")
}
