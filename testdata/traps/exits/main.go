// Command exits ends in the way that its argument names.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"example.com/traps/traps/exits/lib"
)

type failure struct{ code int }

func (f failure) Error() string { return fmt.Sprint("failure ", f.code) }

type stringer struct{ n int }

func (s stringer) String() string { return "never called by panic" }

func nested(n int) {
	defer fmt.Println("deferred", n)
	if n == 0 {
		var p *failure
		fmt.Println(p.code)
	}
	for i := range 2 {
		if i == 1 {
			nested(n - 1)
		}
	}
}

func again() {
	defer func() {
		r := recover()
		panic(fmt.Sprint("again ", r))
	}()
	defer func() {
		panic("second")
	}()
	panic("first")
}

func runError() {
	xs := []int{1}
	for i := range 3 {
		xs[i] = i
	}
}

func block() {
	var mu sync.Mutex
	mu.Lock()
	for {
		mu.Lock()
	}
}

func exit() {
	defer fmt.Println("not printed")
	defer func() {
		for {
			os.Exit(9)
		}
	}()
	if os.Args[1] == "exit" {
		return
	}
}

func inGoroutine() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer fmt.Println("goroutine deferred")
		func() {
			panic(failure{3})
		}()
	}()
	wg.Wait()
}

func goexit() {
	defer fmt.Println("main deferred")
	go func() {
		alone()
		fmt.Println("goroutine done")
		os.Exit(4)
	}()
	for {
		runtime.Goexit()
	}
}

// alone returns when there is no other goroutine any more.
//
//perf:skip
func alone() {
	for runtime.NumGoroutine() > 1 {
		time.Sleep(time.Millisecond)
	}
}

func kill(s syscall.Signal) {
	fmt.Println("killing")
	syscall.Kill(os.Getpid(), s)
	for {
		time.Sleep(time.Hour)
	}
}

func main() {
	fmt.Println("start", os.Args[1])
	defer fmt.Println("main returns")
	switch how := os.Args[1]; how {
	case "return":
	case "nested":
		nested(2)
	case "again":
		again()
	case "index":
		runError()
	case "library":
		fmt.Println(lib.Last([]int{1, 2}, 3))
	case "error":
		panic(errors.New("an error"))
	case "failure":
		panic(failure{5})
	case "stringer":
		panic(stringer{1})
	case "nilpanic":
		panic(nil)
	case "exit":
		exit()
	case "fatal":
		log.SetFlags(log.Lshortfile)
		log.Fatalf("fatal %d", 1)
	case "logpanic":
		log.SetFlags(0)
		log.Panicln("log", "panic")
	case "syscall":
		syscall.Exit(6)
	case "deadlock":
		block()
	case "goroutine":
		inGoroutine()
	case "goexit":
		goexit()
	case "goexitdead":
		runtime.Goexit()
	case "closed":
		c := make(chan int)
		close(c)
		close(c)
	case "unlock":
		var mu sync.Mutex
		mu.Unlock()
	case "kill":
		kill(syscall.SIGKILL)
	case "term":
		kill(syscall.SIGTERM)
	case "divide":
		n := len(how) - 6
		fmt.Println(1 / n)
	}
}
