package main

import (
	"iter"
	"net"
	"os"
	"runtime"
	"sync"
	"time"
)

// pause is how long each wait takes, at least.
const pause = 20 * time.Millisecond

func wait() {
	sleep()
	channel()
	mutex()
	group()
	pipe()
	network()
	spin()
	scheduled()
	coroutine()
}

//perf:mark
func sleep() { time.Sleep(pause) }

//perf:mark
func channel() {
	c := make(chan int)
	go func() { time.Sleep(pause); c <- 1 }()
	<-c
}

//perf:mark
func mutex() {
	var m sync.Mutex
	m.Lock()
	go func() { time.Sleep(pause); m.Unlock() }()
	m.Lock()
}

//perf:mark
func group() {
	var g sync.WaitGroup
	g.Go(func() { time.Sleep(pause) })
	g.Wait()
}

//perf:mark
func pipe() {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	go func() { time.Sleep(pause); w.Write([]byte("x")) }()
	var b [1]byte
	r.Read(b[:])
}

//perf:mark
func network() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		time.Sleep(pause)
		if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
			c.Close()
		}
	}()
	c, err := l.Accept()
	if err != nil {
		panic(err)
	}
	c.Close()
}

//perf:mark
func spin() {
	for t := time.Now(); time.Since(t) < pause; {
	}
}

// scheduled waits for the processor.
//
//perf:mark
func scheduled() {
	procs := runtime.GOMAXPROCS(1)
	spun := make(chan bool, 1)
	go func() {
		for t := time.Now(); time.Since(t) < pause; {
		}
		spun <- true
	}()
	for len(spun) == 0 {
		runtime.Gosched()
	}
	runtime.GOMAXPROCS(procs)
}

// coroutine waits for another goroutine to take its turn, which sleeps.
//
//perf:mark
func coroutine() {
	next, stop := iter.Pull(func(yield func(int) bool) {
		time.Sleep(pause)
		yield(1)
	})
	next()
	stop()
}
