// Command steer is steered: by its environment, and by itself.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	perf "github.com/markgen/markgen/runtime/perf"
)

var sink atomic.Int64

//perf:mark
func a() { sink.Add(1) }

//perf:mark
func gone() {
	c()
	runtime.Goexit()
}

//perf:mark
func b() {
	for range 5 {
		c()
	}
}

//perf:mark
func c() { sink.Add(1) }

type desk struct{ served int }

//perf:mark
func (d *desk) serve() { d.served++ }

// lengthy takes longer than a window.
//
//perf:mark
func lengthy(n int) {
	//perf:mark
	for i := range n {
		for range 20 { // recording is not to take most of a window
			sink.Add(int64(i))
		}
	}
}

// waiting waits one time in four for longer than a window, between two loops.
//
//perf:mark
func waiting(i int) {
	//perf:mark
	for range 2 {
		sink.Add(1)
	}
	if i%4 == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	//perf:mark
	for range 3 {
		sink.Add(1)
	}
}

//perf:mark sample=1:100
func rare() { sink.Add(1) }

//perf:mark size=n
func sized(n int) { sink.Add(int64(n)) }

//perf:mark
func work(i int) {
	n := 50
	if i%1000 == 0 {
		slow()
		n = 5000
	}
	for k := range n {
		sink.Add(int64(k))
	}
}

//perf:mark count
func step() {}

//perf:mark
//go:noinline
func burst(i int) {
	for k := range 500 {
		sink.Add(int64(k))
	}
}

// tinies passes a marker every few ns, and is seldom passed itself.
//
//perf:mark
//go:noinline
func tinies() {
	for range 200 {
		tiny()
	}
}

var tinySum int

//perf:mark
//go:noinline
func tiny() { tinySum += tinySum>>3 + 1 }

//perf:mark
func ending(i, n int) {
	work(1)
	//perf:mark
	if i > n-10 {
		sink.Add(1)
	}
}

//perf:mark
func slow() { sink.Add(1) }

//perf:mark
func request() {
	c()
	time.Sleep(time.Millisecond)
	c()
}

//perf:mark
func small() { shared(10); same(10) }

//perf:mark
func large() { shared(500); same(10) }

//perf:mark
func shared(n int) {
	for k := range n {
		sink.Add(int64(k))
	}
}

//perf:mark
func same(n int) {
	for k := range n {
		sink.Add(int64(k))
	}
}

// untilCollected calls f n times, and on a machine that has other things to do more often, until there
// were three calls as something was collected.
func untilCollected(n int, f func()) {
	collected := 0
	for end := time.Now().Add(10 * time.Second); (n > 0 || collected < 3) && time.Now().Before(end); n-- {
		if perf.State() == perf.StateProfiling {
			collected++
		}
		f()
	}
}

func say(err error) { fmt.Println(perf.State(), err) }

func main() {
	n := 0
	if len(os.Args) > 2 {
		n, _ = strconv.Atoi(os.Args[2])
	}
	switch os.Args[1] {
	case "phases":
		for range 3 {
			for range 10 {
				a()
			}
			b()
		}
	case "point":
		for i := range 10 {
			a()
			if i == 4 {
				//perf:point half
			}
		}
	case "goexit":
		for range 3 {
			over := make(chan bool)
			go func() {
				defer close(over)
				gone()
			}()
			<-over
			time.Sleep(10 * time.Millisecond) // the goroutine is to be gone, too
			a()
		}
	case "idle":
		work(1)
		time.Sleep(time.Second)
	case "period":
		for i := range n {
			step()
			work(i)
		}
	case "inner":
		for range n {
			tinies()
		}
	case "even":
		for i := range n {
			burst(i)
		}
	case "ending":
		for i := range n {
			ending(i, n)
		}
	case "rare":
		for range n {
			rare()
		}
	case "waiting":
		for i := range n {
			waiting(i)
			time.Sleep(100 * time.Microsecond)
		}
	case "lengthy":
		for range n {
			lengthy(10_000)
		}
	case "rares": // four at a time
		var done sync.WaitGroup
		for range 4 {
			done.Go(func() {
				for range n {
					rare()
				}
			})
		}
		done.Wait()
	case "time":
		work(1) // the first scopes wait for the disk, for as long as others keep it busy
		a()
		for begun := time.Now(); time.Since(begun) < time.Duration(n)*time.Millisecond; {
			work(1)
			a()
		}
	case "requests": // two at a time, and work that is none
		for range 10 {
			var all sync.WaitGroup
			for range 2 {
				all.Go(request)
			}
			all.Wait()
			c()
		}
	case "callers":
		for range n {
			small()
			large()
		}
		shared(1)
	case "directives":
		a()
		//perf:pause
		a()
		b()
		//perf:resume
		a()
	case "quiet": // is paused at any time of a period, and in the next is not collected
		untilCollected(20, request)
		for i := range 6 {
			//perf:pause
			time.Sleep(time.Duration(i) * 7 * time.Millisecond)
			for range 20 {
				b()
				time.Sleep(time.Millisecond)
			}
			//perf:resume
			time.Sleep(time.Duration(i) * 3 * time.Millisecond)
		}
		untilCollected(40, func() {
			a()
			time.Sleep(time.Millisecond)
		})
	case "states":
		say(nil)
		say(perf.Start())
		say(perf.Resume())
		say(perf.Configure("nonsense"))
		say(perf.Configure("file=first.markgen"))
		say(perf.Configure("file=other.markgen"))
		a()
		say(perf.Start())
		say(perf.Resume())
		say(perf.Pause())
		say(perf.Pause())
		a()
		say(perf.Resume())
		a()
		say(perf.Stop())
		a()
		say(perf.Pause())
		say(perf.Configure("file=second.markgen,start=on:nobody"))
		a()
		say(perf.Start())
		for range 7 {
			a()
		}
		b()
		say(perf.Stop())
		say(perf.Configure("file=third.markgen"))
		for range 3 {
			a()
		}
		rare()
		perf.StartWatch("again")
		perf.StopWatch("again")
		say(perf.Stop())
		say(perf.Configure("file=fourth.markgen"))
		say(perf.Resume())
		say(perf.Stop())
		say(perf.Configure(""))
		a()
		say(perf.Stop())
	case "periodic":
		say(perf.Configure("file=periodic.markgen,every=1h:50m"))
		say(perf.Start())
		time.Sleep(20 * time.Millisecond) // it begins by itself, too
		say(perf.Start())
		say(perf.Stop())
		say(perf.Start())
	case "again":
		a()
		say(perf.Stop())
		for range 2 {
			say(perf.Configure("file=again.markgen"))
			a()
			b()
			say(perf.Stop())
		}
		for range 20 { // timers may be in the middle of something
			perf.Configure("file=timed.markgen,sample=1:2,every=1ms:500us,stop=after:1h")
			for begun := time.Now(); time.Since(begun) < 5*time.Millisecond; {
				work(1)
			}
			perf.Stop()
			perf.Configure("")
		}
		time.Sleep(30 * time.Millisecond)
	case "busy": // goroutines that nobody waits for, while the state changes
		for range 4 {
			go func() {
				for i := range 1 << 30 {
					a()
					b()
					work(i)
					rare()
				}
			}()
		}
		for range 20 {
			time.Sleep(5 * time.Millisecond)
			perf.Pause()
			time.Sleep(time.Millisecond)
			perf.Resume()
		}
	case "sized": // on a processor, and then on another
		for i := range n {
			sized(1 << (i * i % 29))
			if i%50 == 0 {
				time.Sleep(50 * time.Microsecond)
			}
		}
	case "jobs":
		for range 10 {
			perf.StartWatch("job")
			a()
			perf.StopWatch("job")
			c()
		}
	case "handed": // from goroutine to goroutine, and some are open at the end
		perf.StartWatch("whole")
		done := make(chan bool)
		for range 20 {
			perf.StartWatch("own")
			a()
			perf.StopWatch("own")
			perf.StartWatch("given")
			go func() {
				perf.StopWatch("given")
				done <- true
			}()
			<-done
		}
		perf.StartWatch("own")
		if perf.State() == perf.StateProfiling { // what is stopped later is open in the data, which are complete
			say(perf.Stop())
			say(perf.StopWatch("own"))
			say(perf.StopWatch("whole"))
		}
	case "names": // of stopwatches, until there are too many
		for i := range 1 << 20 {
			if err := perf.StartWatch(strconv.Itoa(i)); err != nil {
				say(err)
				return
			}
			perf.StopWatch(strconv.Itoa(i))
		}
	case "watches":
		say(perf.StopWatch("load"))
		say(perf.StartWatch("load"))
		say(perf.StartWatch("load"))
		done := make(chan error)
		go func() { done <- perf.StopWatch("load") }()
		say(<-done)
		say(perf.StopWatch("load"))
		for range 3 {
			say(perf.StartWatch("load"))
			say(perf.StopWatch("load"))
		}
		say(perf.StartWatch(""))
		say(perf.StartWatch("tab\t, line\n, byte \xff"))
		say(perf.StartWatch(strings.Repeat("long", 64)))
		say(perf.StartWatch(strings.Repeat("long", 10_000)))
	}
}
