package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

type node struct {
	left, right *node
	value       int
}

// What is allocated goes here, or it would be on the stack.
var (
	top    *node
	number *int32
	bytes  []byte
	text   string
	table  map[string]int
	list   []*node
	boxed  any
)

// calls allocate, each in another way.
var calls = map[string]func(i int){
	"nothing":  func(int) {},
	"pointers": func(int) { top = &node{left: new(node)} },
	"tiny": func(i int) {
		for range i%10 + 1 {
			number = new(int32)
		}
	},
	"small":  func(int) { small() },
	"header": func(i int) { list = make([]*node, 1000+i) },
	"large":  func(i int) { bytes = make([]byte, 50_000+10_000*(i%10)) },
	"growing": func(i int) {
		bytes = nil
		for k := range 1000 + i {
			bytes = append(bytes, byte(k))
		}
	},
	"map": func(int) {
		table = map[string]int{}
		for i := range 100 {
			table[strings.Repeat("x", i)] = i
		}
	},
	"text":  func(i int) { text = fmt.Sprintf("%d and %v", 123456+i, 1.5) },
	"boxed": func(i int) { boxed = 1000 + i },
	"stack": func(int) { deeper(100) },
	"panic": func(int) { catching() },
}

// deeper has the stack grow.
//
//perf:mark
func deeper(n int) int {
	var frame [64]int
	frame[n%64] = n
	small()
	if n > 0 {
		return deeper(n-1) + frame[n%64]
	}
	return 0
}

//perf:mark
func measured(call func(int), i int) { call(i) }

// exact compares a call with the process's own counts: there is one goroutine. What
// markers take when they are passed first is among these.
func exact(name string) {
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(1)
	call := calls[name]
	for i := range 3 {
		call(i)
		measured(func(int) {}, i)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range 100 {
		measured(call, i)
	}
	runtime.ReadMemStats(&after)
	print("measured", after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs)
}
