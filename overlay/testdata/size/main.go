// Command size passes markers that have sizes on many goroutines, and prints what has to
// be in its data: a line for each marker and bucket, with the number of scopes and the sum of
// the sizes.
package main

import (
	"fmt"
	"math/bits"
	"os"
	"runtime"
	"strconv"
	"sync"
	"unsafe"
)

const goroutines, most = 8, 300

//perf:mark size=len(s)
func function(s []byte) (sum int) {
	for _, c := range s {
		sum += int(c)
	}
	return sum
}

type text string

//perf:mark size=len(t)+1
func (t text) method() string { return strconv.Quote(string(t)) }

//perf:mark size=n-150
func below(n int) { runtime.KeepAlive(n) }

//perf:mark size=n
func panics(n int) {
	if n%3 == 0 {
		panic(n)
	}
}

// expected is what was passed, by marker and bucket: scopes and their sizes.
type expected map[string]*[64][2]uint64

func (e expected) add(marker string, size int) {
	if e[marker] == nil {
		e[marker] = new([64][2]uint64)
	}
	b := &e[marker][bits.Len(uint(size))]
	b[0]++
	b[1] += uint64(size)
}

func main() {
	if len(os.Args) > 1 { // many processors' cells
		runtime.GOMAXPROCS(16)
	}
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() { work(g) })
	}
	all.Wait()
	e := expected{}
	for g := range goroutines {
		for n := range most {
			e.add("function", n)
			e.add("text.method", n+1)
			if n >= 150 {
				e.add("below", n-150)
			}
			e.add("panics", n)
			e.add("work:a loop", n*g)
			e.add("work:a region", n+g)
			if n%2 == 0 {
				e.add("work:large.then", 1<<40+n)
			}
		}
	}
	for marker, buckets := range e {
		for k, b := range buckets {
			if b[0] > 0 {
				fmt.Println(marker, k, b[0], b[1])
			}
		}
	}
}

func work(g int) {
	room := make([]byte, most)
	//perf:mark a loop size=n*g
	for n := 0; n < most; n++ {
		function(room[:n])
		text(unsafe.String(&room[0], n)).method()
		below(n)
		func() {
			defer func() { recover() }()
			panics(n)
		}()
		//perf:begin a region size=n+g
		room[0]++
		//perf:end a region

		//perf:begin without
		room[0]--
		//perf:end without

		//perf:mark large size=uint64(1<<40+n)
		if n%2 == 0 {
			room[1]++
		}
	}
}
