// Command words passes markers of all kinds for a moment, so that its data have blocks of all kinds.
package main

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

//perf:mark size=len(text)
func sized(text string) int {
	n := 0
	for i := range text {
		if text[i] == 'a' {
			n++
		} else {
			n += leaf(i)
		}
	}
	return n
}

//go:noinline
func leaf(i int) int {
	n := 0
	for range 3 {
		n += i
	}
	return n
}

func recurse(n int) int {
	if n == 0 {
		return 0
	}
	return recurse(n-1) + leaf(n)
}

//perf:mark alloc+io
func allocates(n int) []byte {
	os.Stderr.Write(nil)
	return make([]byte, n)
}

func first(n int) int { return leaf(n) + sized(strings.Repeat("ab", n%100)) }

func second(n int) int { return leaf(n) + recurse(n%5) }

func waits(end chan bool) { <-end }

func main() {
	go waits(make(chan bool)) // and is open at the end
	var all sync.WaitGroup
	end := time.Now().Add(100 * time.Millisecond)
	for range 3 {
		all.Go(func() {
			for n := 0; time.Now().Before(end); n++ {
				first(n)
				second(n)
				if n%10 == 0 {
					allocates(n % 1000)
					runtime.Gosched()
				}
			}
		})
	}
	all.Wait()
}
