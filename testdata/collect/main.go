// Command collect has a collector of its own, which is told what to read, and does
// what its first argument says.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	perf "github.com/markgen/markgen/runtime/perf"
)

// steps is a collector: the steps that all goroutines have made.
type steps struct{ made, squares atomic.Uint64 }

func (s *steps) Values() []string { return []string{"steps", "squares"} }

func (s *steps) Read(into []uint64) {
	into[0], into[1] = s.made.Load(), s.squares.Load()
}

var made steps

func init() {
	early()
	perf.RegisterCollector("steps", &made)
	perf.RegisterCollector("brittle", brittle{})
	perf.RegisterCollector("cranky", cranky{})
	perf.RegisterCollector("empty", empty{})
	if len(os.Args) > 1 && os.Args[1] == "io name" {
		perf.RegisterCollector("io", empty{})
	}
	if len(os.Args) > 1 && os.Args[1] == "many" {
		for n := range 61 {
			perf.RegisterCollector("many"+strconv.Itoa(n), &made)
		}
		perf.RegisterCollector("many0", &made)
	}
}

// early is passed before the collectors are there.
func early() {}

func step(n uint64) {
	made.made.Add(n)
	made.squares.Add(n * n)
}

//perf:skip
func unmarkedStep(n uint64) { made.made.Add(n) }

// brittle panics when it is read for the third time.
type brittle struct{}

var brittleReads atomic.Uint64

func (brittle) Values() []string { return []string{"reads"} }

func (brittle) Read(into []uint64) {
	if into[0] = brittleReads.Add(1); into[0] == 3 {
		panic("worn out")
	}
}

// cranky goes back, and calls what is marked.
type cranky struct{}

var crankyReads atomic.Uint64

func (cranky) Values() []string { return []string{"reads_ns"} }

func (cranky) Read(into []uint64) { into[0] = 1000 - cranked() }

func cranked() uint64 { return crankyReads.Add(1) }

type empty struct{}

//perf:skip
func (empty) Values() []string { return []string{"nothing"} }

//perf:skip
func (empty) Read(into []uint64) {}

func down(n int) int {
	step(1)
	sum := n
	if n > 0 {
		sum += down(n - 1)
	}
	step(2)
	return sum
}

func outer() {
	step(10)
	for range 3 {
		inner()
	}
	step(10)
}

func inner() {
	step(1)
	runtime.Gosched()
}

func leave() {
	step(5)
	inner()
	panic("left")
}

func catch() (v any) {
	defer func() {
		v = recover()
		unmarkedStep(7)
		inner()
	}()
	leave()
	return nil
}

// caught is something that fmt wants as text: it recovers from the panic.
type caught struct{}

func (caught) String() string {
	leave()
	return ""
}

func around() {
	_ = fmt.Sprint(caught{})
	unmarkedStep(11)
}

func exit() {
	step(3)
	runtime.Goexit()
}

// load reads n bytes of the program's file.
func load(fd, n int) {
	b := make([]byte, n)
	if got, err := syscall.Pread(fd, b, 0); got != n || err != nil {
		panic(fmt.Sprint(got, err))
	}
}

// save writes n bytes, in two pieces.
func save(fd, n int) {
	for _, n := range []int{n / 2, n - n/2} {
		if got, err := syscall.Write(fd, make([]byte, n)); got != n || err != nil {
			panic(fmt.Sprint(got, err))
		}
	}
}

func transfer(from, to int) {
	load(from, 1000)
	save(to, 300)
	load(from, 24)
	syscall.Pread(from, make([]byte, 7), 0)
}

// touch writes to pages that nobody has touched yet.
func touch(pages [][4096]byte) {
	for i := range pages {
		pages[i][0] = 1
	}
}

func fresh(n int) [][4096]byte {
	b, err := syscall.Mmap(-1, 0, n*4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		panic(err)
	}
	syscall.Madvise(b, syscall.MADV_NOHUGEPAGE)
	return unsafe.Slice((*[4096]byte)(unsafe.Pointer(&b[0])), n)
}

// hop goes on on another thread, at last.
func hop() {
	runtime.LockOSThread()
	first := syscall.Gettid()
	runtime.UnlockOSThread()
	for {
		done := make(chan bool)
		go func() {
			runtime.LockOSThread() // takes the thread with it
			close(done)
		}()
		<-done
		time.Sleep(time.Millisecond)
		runtime.LockOSThread()
		now := syscall.Gettid()
		runtime.UnlockOSThread()
		if now != first {
			return
		}
	}
}

func main() {
	what := os.Args[1]
	from, err := syscall.Open(os.Args[0], syscall.O_RDONLY, 0)
	if err != nil {
		panic(err)
	}
	to, err := syscall.Open(os.DevNull, syscall.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	switch what {
	case "calls", "many":
		down(4)
		outer()
	case "panics":
		if v := catch(); v != "left" {
			panic(v)
		}
		around()
	case "goexit":
		for range 20 {
			done := make(chan bool)
			go func() {
				defer close(done)
				exit()
			}()
			<-done
			outer()
		}
	case "goroutines": // one at a time, on all processors by turns
		var wg sync.WaitGroup
		var one sync.Mutex
		for range 8 {
			wg.Go(func() {
				for range 500 {
					one.Lock()
					outer()
					one.Unlock()
					runtime.Gosched()
				}
			})
		}
		wg.Wait()
	case "io":
		for range 50 {
			transfer(from, to)
		}
	case "io goroutines":
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 100 {
					transfer(from, to)
				}
			})
		}
		wg.Wait()
	case "closed": // all descriptors, and something else has their numbers
		load(from, 10)
		for fd := 50; fd < 100; fd++ {
			syscall.Close(fd)
			syscall.Dup3(from, fd, 0)
		}
		for range 10 {
			load(from, 10)
		}
		if at, err := syscall.Seek(from, 0, 1); at != 0 || err != nil {
			panic(fmt.Sprint("moved to ", at, err))
		}
	case "pages":
		runtime.LockOSThread()
		pages := fresh(1000)
		touch(pages)
		touch(pages)
	case "hop":
		hop()
	case "allocs":
		outer()
		fmt.Println(testing.AllocsPerRun(100, outer))
	case "race": // one that is the program's
		x := 0
		go func() {
			outer()
			x++
		}()
		time.Sleep(50 * time.Millisecond)
		outer()
		x++
	case "again": // a second run in the process, that collects something else
		outer()
		if err := errors.Join(perf.Stop(), perf.Configure("file=second,collect=steps+io")); err != nil {
			panic(err)
		}
		outer()
		transfer(from, to)
	case "configure": // a run that the environment does not ask for
		outer()
		if err := perf.Configure("file=data,collect=steps+io"); err != nil {
			panic(err)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { transfer(from, to) })
		}
		wg.Wait()
		outer()
	case "forever":
		for i := 0; ; i++ {
			outer()
			transfer(from, to)
			if i == 1000 {
				fmt.Println("ready")
			}
		}
	}
	fmt.Println("done", what)
}
