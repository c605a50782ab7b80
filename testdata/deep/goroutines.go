package main

import (
	"iter"
	"sync"
)

// Each goroutine allocates objects of a size of its own.
const workers = 8

var (
	kept   [workers][]byte
	rounds int // how many
)

//perf:mark
func take(i int) { kept[i] = make([]byte, 256*(i+1)) }

//perf:mark
func worker0() { work(0) }

//perf:mark
func worker1() { work(1) }

//perf:mark
func worker2() { work(2) }

//perf:mark
func worker3() { work(3) }

//perf:mark
func worker4() { work(4) }

//perf:mark
func worker5() { work(5) }

//perf:mark
func worker6() { work(6) }

//perf:mark
func worker7() { work(7) }

func work(i int) {
	for range rounds {
		take(i)
	}
}

// goroutines all allocate n objects at once.
func goroutines(n int) {
	var wg sync.WaitGroup
	rounds = n
	all := uint64(0)
	for i, worker := range []func(){worker0, worker1, worker2, worker3, worker4, worker5, worker6, worker7} {
		wg.Go(worker)
		bytes := uint64(n * 256 * (i + 1))
		print("worker"+string(rune('0'+i)), bytes, uint64(n))
		all += bytes
	}
	wg.Wait()
	print("take", all, uint64(workers*n))
}

// coroutines take turns; what each allocates is its own.
func coroutines() {
	for range 10 {
		drawing()
	}
	print("drawn", 10*5*112, 10*5)
}

//perf:mark
func drawing() {
	next, done := iter.Pull(func(yield func(int) bool) { drawn(yield) })
	for {
		if _, ok := next(); !ok {
			break
		}
	}
	done()
}

//perf:mark
func drawn(yield func(int) bool) {
	for i := range 5 {
		small()
		if !yield(i) {
			return
		}
	}
}
