// Command goexit leaves scopes by runtime.Goexit.
package main

import (
	"fmt"
	"runtime"
	"sync"
)

// want func=3 for#1=9 if#1.then=3
func ends() {
	for i := range 5 {
		if i == 2 {
			runtime.Goexit()
		}
	}
}

// want func=3 func#1=3
func calls(wg *sync.WaitGroup) {
	defer func() { wg.Done() }()
	ends()
	panic("not reached")
}

// settle waits until the last of what goroutines defer is done.
//
//perf:skip
func settle() {
	for runtime.NumGoroutine() > 1 {
		runtime.Gosched()
	}
}

func main() {
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go calls(&wg)
	}
	wg.Wait()
	settle()
	fmt.Println("done")
}
