// Command go passes through functions on other goroutines.
package main

import (
	"fmt"
	"runtime"
	"sync"
)

// want func=30 for#1=300 if#1.then=30
func work(wg *sync.WaitGroup) {
	defer wg.Done()
	for i := range 10 {
		if i == 9 {
			return
		}
	}
}

// want func=1 for#1=10 func#1=10
func start() {
	var wg sync.WaitGroup
	for range 10 {
		wg.Add(3)
		go work(&wg)
		go func(wg *sync.WaitGroup) {
			work(wg)
		}(&wg)
		go (*worker).run(nil, &wg)
	}
	wg.Wait()
	settle()
}

type worker struct{}

// want func=10
func (*worker) run(wg *sync.WaitGroup) { work(wg) }

// settle waits until the last of what goroutines defer is done.
//
//perf:skip
func settle() {
	for runtime.NumGoroutine() > 1 {
		runtime.Gosched()
	}
}

func main() {
	start()
	fmt.Println("done")
}
