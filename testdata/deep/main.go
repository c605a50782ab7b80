// Command deep allocates and waits, as its arguments say. Of what it allocates it prints
// what the Go runtime has counted, or what is certain: a line NAME BYTES OBJECTS for a
// marker.
package main

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
)

func main() {
	switch what := os.Args[1]; what {
	case "exact":
		exact(os.Args[2])
	case "goroutines":
		debug.SetGCPercent(-1)
		goroutines(10_000)
	case "collected": // the garbage collector takes objects, too, and starts threads
		goroutines(100_000)
	case "goexit":
		goexit()
	case "coroutines":
		coroutines()
	case "allocs":
		delete(calls, "panic") // one deferred call more, a marker's, costs the Go runtime an object
		for _, name := range slices.Sorted(maps.Keys(calls)) {
			fmt.Println(name, testing.AllocsPerRun(100, func() { calls[name](1000) }))
		}
	case "wait":
		wait()
	default:
		panic(what)
	}
}

// print prints what is certain of a marker.
func print(name string, bytes, objects uint64) { fmt.Println(name, bytes, objects) }

// small allocates an object of 112 bytes.
//
//perf:mark
func small() { bytes = make([]byte, 100) }

// leaving allocates and does not return.
//
//perf:mark
func leaving(how func()) {
	small()
	how()
}

//perf:mark
func catching() {
	defer func() {
		if recover() == nil {
			panic("nothing to recover")
		}
		small()
	}()
	leaving(func() { panic("left") })
}

// goexit leaves scopes open in goroutines that end, whose g others get, one after the
// other.
func goexit() {
	runtime.GOMAXPROCS(1)
	for range 100 {
		done := make(chan bool)
		go func() {
			defer close(done)
			leaving(runtime.Goexit)
		}()
		<-done
		runtime.Gosched() // it ends behind that
		done = make(chan bool)
		go func() {
			defer close(done)
			outside()
		}()
		<-done
	}
	print("leaving", 100*112, 100)
	print("outside", 100*112, 100)
}

// outside is in no scope of another's.
//
//perf:mark
func outside() { small() }
