// Command goroutines counts its goroutines and passes through functions on many of them, while
// GOMAXPROCS changes; markers add no goroutine and lose no scope.
package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

var calls atomic.Int64

func work(n int) int {
	calls.Add(1)
	s := 0
	for i := range n {
		if i%2 == 0 {
			s += i
		}
		if i%10 == 0 {
			runtime.Gosched()
		}
	}
	return s
}

func pipeline(n int) (sum int) {
	in, out := make(chan int), make(chan int)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for v := range in {
				out <- work(v)
			}
		})
	}
	go func() {
		defer close(in)
		for i := range n {
			in <- i
		}
	}()
	go func() {
		wg.Wait()
		close(out)
	}()
	for v := range out {
		sum += v
	}
	return sum
}

func deep(n int) int {
	var pad [100]int
	if n == 0 {
		return len(pad)
	}
	pad[n%100] = deep(n - 1)
	return pad[n%100]
}

func locked() (n int) {
	done := make(chan int)
	go func() {
		runtime.LockOSThread()
		done <- work(10)
	}()
	return <-done
}

func main() {
	fmt.Println(runtime.NumGoroutine())
	for _, p := range []int{1, 4, 2, 8} {
		runtime.GOMAXPROCS(p)
		fmt.Println(pipeline(200))
	}
	fmt.Println(calls.Load(), deep(5000), locked())
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			fmt.Println(ctx.Err())
		default:
			continue
		}
		break
	}
	for range 100 {
		if runtime.NumGoroutine() == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	fmt.Println(runtime.NumGoroutine())
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 100 {
				if i%3 == 0 {
					work(1)
					runtime.Goexit()
				}
				work(2)
			}
		}()
	}
	wg.Wait()
	fmt.Println(calls.Load())
}
