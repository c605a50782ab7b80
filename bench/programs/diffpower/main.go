// Diffpower runs 500 functions of differing work, each some hundred times, in
// turn. DIFFPOWER_SLOW=N makes the N-th do 5 % more of its work in each call: 21
// units where it did 20.
//
// The functions, each with a marker, are in a file that the bench writes beside
// this one; without it there are none. With the argument plan it prints a line for
// each: its number, kernel, units of work a call, calls, and whether it is one
// of those that trials slow down.
package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
)

// marked are the functions; the generated file sets them.
var marked []func()

// function is what one of them does.
type function struct {
	kernel  kernel
	units   int // of the kernel, in a call
	calls   int
	typical bool // takes 5 to 20 µs
}

// functions are made before main begins; init of the generated file needs none.
var functions = plan(500)

// rounds is how often a function is called at most.
const rounds = 600

// plan gives each kernel one typical function of 5 to 20 µs; the others take 40 ns to
// 4 µs and are called as often as fits into 80 µs.
func plan(n int) []function {
	list := make([]function, n)
	for i := range list {
		k := kernels[i%len(kernels)]
		step := i / len(kernels) // among those with the kernel
		ns, calls := 40*math.Pow(100, float64(step)/float64(n/len(kernels))), rounds
		if step == 0 {
			ns, calls = 5000*math.Pow(4, float64(i)/float64(len(kernels)-1)), rounds/2
		} else {
			calls = min(rounds, max(20, int(80_000/ns)))
		}
		units := max(1, int(ns/k.ns))
		if step == 0 {
			units = max(1, int(math.Round(ns/k.ns/20))) * 20
		}
		list[i] = function{k, units, calls, step == 0}
	}
	return list
}

// work is what the function of that number does.
func work(number int) {
	f := &functions[number]
	f.kernel.do(f.units)
}

func main() {
	if text := os.Getenv("DIFFPOWER_SLOW"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n >= len(functions) || functions[n].units%20 != 0 {
			fmt.Fprintf(os.Stderr, "diffpower: DIFFPOWER_SLOW=%s: give the number of a typical function\n", text)
			os.Exit(2)
		}
		functions[n].units += functions[n].units / 20
	}
	if len(os.Args) > 1 && os.Args[1] == "plan" {
		for i, f := range functions {
			fmt.Println(i, f.kernel.name, f.units, f.calls, f.typical)
		}
		return
	}
	for round := range rounds {
		for i, f := range marked {
			if calls := functions[i].calls; (round+1)*calls/rounds > round*calls/rounds {
				f()
			}
		}
	}
	runtime.KeepAlive(live)
}
