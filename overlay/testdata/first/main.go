// Command first passes markers whose first scopes take other times than those that
// follow, and prints what has to be in its data: the marker, and from how many to how many
// ns its first scope took; 0 and 0: that is not to be known.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

func busy(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
	}
}

var once sync.Once

//perf:mark
func lazy() {
	once.Do(func() { busy(3 * time.Millisecond) })
}

var built bool

//perf:mark
func recursive(n int) {
	if n > 0 {
		recursive(n - 1)
	} else if !built {
		built = true
		busy(2 * time.Millisecond)
	}
}

//perf:mark
func panics(first bool) {
	if first {
		busy(time.Millisecond)
		panic("first")
	}
}

//perf:mark sample=1:3
func counted() { busy(10 * time.Microsecond) }

//perf:mark count
func uncounted() {}

//perf:mark
func late() { busy(10 * time.Microsecond) }

//perf:mark
func never() {}

//perf:mark
func parent() {
	one()
	two()
	three()
	four()
	runtime.KeepAlive(0)
}

//perf:mark size=1
func one() { runtime.KeepAlive(0) }

//perf:mark size=2
func two() { runtime.KeepAlive(0) }

//perf:mark size=3
func three() { runtime.KeepAlive(0) }

//perf:mark size=4
func four() { runtime.KeepAlive(0) }

// report prints the bounds of what the first call of f takes, which is called often.
func report(name string, f func(first bool), least time.Duration) {
	start := time.Now()
	f(true)
	most := time.Since(start)
	for range 100 {
		f(false)
	}
	fmt.Println(name, int64(least), int64(most))
}

func main() {
	if len(os.Args) > 1 { // on another goroutine, with a stack of its own
		var all sync.WaitGroup
		all.Go(work)
		all.Wait()
	} else {
		work()
	}
	//perf:pause
	late()
	//perf:resume
	late()
	for range 100 {
		counted()
	}
	uncounted()
	for _, name := range []string{"late", "counted", "uncounted", "never"} {
		fmt.Println(name, 0, 0)
	}
}

func work() {
	report("lazy", func(bool) { lazy() }, 3*time.Millisecond)
	report("recursive", func(bool) { recursive(20) }, 2*time.Millisecond)
	report("panics", func(first bool) {
		defer func() { recover() }()
		panics(first)
	}, time.Millisecond)
	parent()
	for range 100 {
		parent()
	}
}
