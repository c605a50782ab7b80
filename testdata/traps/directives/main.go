// Command directives has compiler directives that must stay attached to what they stand on.

//go:build !windows

package main

import (
	_ "embed"
	"fmt"
	"runtime"
	"strings"
	_ "unsafe" // for go:linkname
)

//go:embed data.txt
var data string

//go:generate echo never run

//go:noinline
func notInlined() string {
	pc, _, _, _ := runtime.Caller(0)
	return runtime.FuncForPC(pc).Name()
}

//go:nosplit
func nosplit(n int) int {
	for i := range n {
		if i > 3 {
			return i
		}
	}
	return n
}

//go:nosplit // and says why: the compiler reads up to the space
func explained(p *[4]int, n int) (s int) {
	var frame [64]int
	for i := range frame {
		frame[i] = p[i&3]
	}
	for i := 0; i < n; i++ {
		if frame[i] > 1 {
			s += frame[i]
		} else {
			s--
		}
	}
	return s
}

//go:nosplit

// apart is nosplit too.
func apart(p *[4]int, n int) (s int) {
	var frame [64]int
	for i := range frame {
		frame[i] = p[i&3]
	}
	for i := 0; i < n; i++ {
		if frame[i] > 1 {
			s -= frame[i]
		} else {
			s++
		}
	}
	return s
}

// deep needs nearly all of the room that a nosplit chain may use.
//
//go:nosplit
func deep(n int) int {
	var frame [560]byte
	frame[n&511] = 1
	return int(frame[1]) + nosplit(n)
}

//go:norace
func norace(p *int) { *p++ }

//go:linkname nanotime runtime.nanotime
func nanotime() int64

//go:linkname exported example.com/traps/elsewhere
func exported(n int) int { return n + 1 }

//go:noinline
//go:nosplit
func both() bool { return true }

type notDirective struct {
	a int // go:nosplit
}

func strs() string {
	return `
//go:nosplit
//perf:mark in a string
` + "//perf:skip" /* //perf:mark in a comment */
}

func main() {
	fmt.Print(data)
	fmt.Println(explained(&[4]int{1, 2, 3}, 9), apart(&[4]int{1, 2, 3}, 9))
	fmt.Println(notInlined(), nosplit(2), nosplit(9), deep(1), both())
	n := 1
	norace(&n)
	fmt.Println(n, nanotime() > 0, exported(1), notDirective{2}.a, strings.Count(strs(), "\n"))
}
