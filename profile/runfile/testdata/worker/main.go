// Command worker is marked by hand. It passes its markers, says "ready", and then
// ends in the way its argument names.
package main

import (
	"fmt"
	"os"
	"time"

	perf "github.com/markgen/markgen/runtime/perf"
)

var (
	markers  [5]perf.Marker
	counters [2]perf.Counter
)

var _ = perf.Register(&markers[0], len(markers), &counters[0], len(counters),
	"p\tworker\n"+
		"f\tmain.go\n"+
		"m\t0000000000000001\tfunc\t0\t30\t1\t0\t-\t-\t1\tworker.work\n"+
		"m\t0000000000000002\tloop\t0\t31\t2\t0\t-\t-\t1\tworker.work:for#1\n"+
		"m\t0000000000000003\tpoint\t0\t32\t2\t0\t-\t-\t1\tworker.tick\n"+
		"m\t0000000000000004\tfunc\t0\t40\t1\t3\t-\t-\t1\tworker.never\n"+
		"m\t0000000000000005\tfunc\t0\t50\t1\t4\t-\t-\t1\tworker.open\n"+
		"c\t0000000000000006\tblock\t0\t34\t2\tworker.work:block#1\n"+
		"b\t0\t30\t1\t36\t2\t3\n")

func work() {
	defer perf.Enter(&markers[0]).Exit()
	perf.Count(&counters[1])
	for range 100 {
		s := perf.Enter(&markers[1])
		perf.Point(&markers[2])
		perf.Count(&counters[0])
		s.Exit()
	}
}

func main() {
	defer perf.Finish()
	for range 10 {
		work()
	}
	time.Sleep(20 * time.Millisecond)
	open := perf.Enter(&markers[4])
	fmt.Println("ready")
	switch os.Args[1] {
	case "end":
		open.Exit()
	case "wait":
		os.Stdin.Read(make([]byte, 1)) // to be killed, or let go on
		open.Exit()
	case "leave": // while others are busy
		for range 8 {
			go func() {
				for {
					work()
				}
			}()
		}
		time.Sleep(10 * time.Millisecond)
	case "busy":
		for {
			work()
		}
	case "panic":
		go panic("out") // past main's Finish
		select {}
	}
}
