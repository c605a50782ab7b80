// Diffpower runs 500 functions of different cost, each some hundred times, interleaved.
// DIFFPOWER_SLOW=N makes function N do 5 % more work in each call: 21 units instead of 20.
//
// The functions, each with a marker, are in a file that the benchmark generates beside this one;
// without it there are none. With the argument plan it prints a line for each function: its number,
// kernel, units of work per call, calls, and whether it is typical: one of those that trials slow
// down.
package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
)

// marked are the marked functions; the generated file sets them.
var marked []func()

// A function is the work of one of them.
type function struct {
	kernel  kernel
	units   int // units of the kernel per call
	calls   int
	typical bool // takes 5 to 20 µs
}

// functions are the 500 functions. The generated file's init does not use them.
var functions = plan(500)

// rounds is the maximum number of calls of a function.
const rounds = 600

// plan assigns each kernel one typical function of 5 to 20 µs; the other functions take 40 ns to 4
// µs and are called as often as fits into 80 µs.
func plan(n int) []function {
	list := make([]function, n)
	for i := range list {
		k := kernels[i%len(kernels)]
		step := i / len(kernels) // rank among the functions with this kernel
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

// work does one call's work of the function with that number.
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
