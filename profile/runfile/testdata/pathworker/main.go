// Command pathworker is marked by hand. Its goroutines open scopes in random order, inside
// themselves too, label them, leave some by panics or runtime.Goexit, and move between processors. The first
// argument is the seed. The second is the number of rounds; with "on" it says "ready" and goes on until it is killed.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"

	perf "github.com/markgen/markgen/runtime/perf"
)

const count = 24 // markers; the last four are points

var markers [count]perf.Marker

var _ = perf.Register(&markers[0], count, nil, 0, table())

func table() string {
	var b strings.Builder
	b.WriteString("p\tw\nf\tmain.go\n")
	for i := range count {
		kind := "func"
		if i >= count-4 {
			kind = "point"
		}
		fmt.Fprintf(&b, "m\t%016x\t%s\t0\t%d\t1\t%d\t-\t-\t1\tw.F%02d\n", i+1, kind, i+1, i, i)
	}
	return b.String()
}

type rng struct{ *rand.Rand }

// work opens a scope of a random marker, and more inside.
func (r rng) work(depth int) {
	m := r.IntN(count)
	if m >= count-4 {
		perf.Point(&markers[m])
		return
	}
	if r.IntN(3) == 0 {
		r.several(m, depth)
		return
	}
	defer perf.Enter(&markers[m]).Exit()
	r.inside(depth)
}

// several is a function with several scopes.
func (r rng) several(m, depth int) {
	var s [2]perf.Scope
	defer perf.Close(s[:])
	s[0].Enter(&markers[m])
	for range r.IntN(3) {
		s[1].Enter(&markers[(m+7)%(count-4)])
		if s[1].Labels() && r.IntN(2) == 0 {
			perf.Label(strconv.Itoa(r.IntN(5)))
		}
		r.inside(depth)
		s[1].Exit()
	}
}

func (r rng) inside(depth int) {
	switch r.IntN(40) {
	case 0:
		runtime.Gosched()
	case 1:
		panic("left")
	case 2:
		func() {
			defer func() { recover() }()
			r.work(depth)
		}()
	}
	for range r.IntN(4) {
		if depth > 0 {
			r.work(depth - 1)
		}
	}
}

func (r rng) goroutine(rounds int) {
	for k := 0; k < rounds || rounds < 0; k++ {
		func() {
			defer func() { recover() }()
			r.work(4 + r.IntN(8)*r.IntN(8)*r.IntN(2))
		}()
	}
	if r.IntN(2) == 0 {
		defer perf.Enter(&markers[0]).Exit()
		runtime.Goexit()
	}
}

func main() {
	defer perf.Finish()
	seed, err := strconv.ParseUint(os.Args[1], 10, 64)
	if err != nil {
		panic(err)
	}
	rounds := 30
	if len(os.Args) > 2 {
		if rounds, err = strconv.Atoi(os.Args[2]); err != nil {
			rounds = -1
		}
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			rng{rand.New(rand.NewPCG(seed, uint64(g)))}.goroutine(rounds)
		}()
	}
	if rounds < 0 {
		fmt.Println("ready")
	}
	wg.Wait()
}
