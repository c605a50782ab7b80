package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// naps has four goroutines ask others for a nap, each so many times, over pipes, and prints how long one took on average, ns.
func naps(n int) {
	var took atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		asked, ask, err := os.Pipe()
		if err != nil {
			panic(err)
		}
		answered, answer, err := os.Pipe()
		if err != nil {
			panic(err)
		}
		all.Go(func() {
			var one [1]byte
			for range n {
				asked.Read(one[:])
				begun := time.Now()
				nap()
				took.Add(int64(time.Since(begun)))
				answer.Write(one[:])
			}
		})
		all.Go(func() {
			var one [1]byte
			for range n {
				for begun := time.Now(); time.Since(begun) < 200*time.Microsecond; {
				}
				ask.Write(one[:])
				answered.Read(one[:])
			}
		})
	}
	all.Wait()
	fmt.Println(took.Load() / int64(4*n))
}

//perf:mark
//go:noinline
func nap() { time.Sleep(100 * time.Microsecond) }
