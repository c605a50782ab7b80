// Corrected calls functions of about 20 ns a million times each and prints the times, one per line:
// the name of the function and ns. Callers and functions are marked; the time that markgen reports
// for a caller, minus the cost of the markers, should equal its unmarked time.
package main

import (
	"fmt"
	"strconv"
	"time"
)

// calls is the number of calls of each function.
const calls = 1_000_000

func main() {
	for i := range numbers {
		n := uint64(i)
		numbers[i], table[n], from[i] = n*n*7919^n, n*n, byte(i)
	}
	for _, p := range []struct {
		name   string
		parent func() uint64
	}{
		{"Chain", parentChain},
		{"Wide", parentWide},
		{"Loads", parentLoads},
		{"Branches", parentBranches},
		{"Map", parentMap},
		{"Allocate", parentAllocate},
		{"Format", parentFormat},
		{"Copy", parentCopy},
		{"Divide", parentDivide},
		{"Hash", parentHash},
	} {
		begin := time.Now()
		x := p.parent()
		spent := time.Since(begin)
		sum += x
		fmt.Println(p.name, spent.Nanoseconds())
	}
}

type object struct{ a, b uint64 }

// Input of the functions.
var (
	numbers  [160]uint64
	table    = map[uint64]uint64{}
	kept     *object
	text     [64]byte
	from, to [1024]byte
	sum      uint64 // keeps the compiler from removing the work
)

//perf:mark
//go:noinline
func parentChain() (x uint64) {
	for range calls {
		x = childChain(x)
	}
	return x
}

// childChain is a chain of dependent multiplications.
//
//perf:mark
//go:noinline
func childChain(x uint64) uint64 {
	for range 19 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

//perf:mark
//go:noinline
func parentWide() (x uint64) {
	for range calls {
		x = childWide(x)
	}
	return x
}

// childWide is four independent chains of operations.
//
//perf:mark
//go:noinline
func childWide(x uint64) uint64 {
	a, b, c, d := x, x+1, x+2, x+3
	for range 28 {
		a = a<<1 ^ 5
		b = b<<3 ^ 7
		c = c<<5 ^ 9
		d = d<<7 ^ 11
	}
	return a + b + c + d
}

//perf:mark
//go:noinline
func parentLoads() (x uint64) {
	for range calls {
		x = childLoads(x)
	}
	return x
}

// childLoads sums values in memory.
//
//perf:mark
//go:noinline
func childLoads(x uint64) uint64 {
	sum := x
	for i := 0; i < len(numbers); i += 8 {
		n := numbers[i : i+8 : i+8]
		sum += n[0] + n[1] + n[2] + n[3]
		sum += n[4] + n[5] + n[6] + n[7]
	}
	return sum
}

//perf:mark
//go:noinline
func parentBranches() (x uint64) {
	for range calls {
		x = childBranches(x)
	}
	return x
}

// childBranches is a series of perfectly predictable branches.
//
//perf:mark
//go:noinline
func childBranches(x uint64) uint64 {
	n := x & 1
	for i := range 16 {
		switch v := numbers[i]; {
		case v&3 == 1:
			n += 3
		case v&7 == 2:
			n ^= v
		default:
			n++
		}
	}
	return n
}

//perf:mark
//go:noinline
func parentMap() (x uint64) {
	for range calls {
		x = childMap(x)
	}
	return x
}

// childMap looks up map elements.
//
//perf:mark
//go:noinline
func childMap(x uint64) uint64 {
	return table[x&31] + table[x&15] + 1
}

//perf:mark
//go:noinline
func parentAllocate() (x uint64) {
	for range calls {
		x = childAllocate(x)
	}
	return x
}

// childAllocate allocates an object on the heap.
//
//perf:mark
//go:noinline
func childAllocate(x uint64) uint64 {
	kept = &object{x, x + 1}
	return kept.a + 1
}

//perf:mark
//go:noinline
func parentFormat() (x uint64) {
	for range calls {
		x = childFormat(x)
	}
	return x
}

// childFormat formats numbers as text.
//
//perf:mark
//go:noinline
func childFormat(x uint64) uint64 {
	b := strconv.AppendUint(text[:0], x&0xffff+20_000, 10)
	b = strconv.AppendUint(b, x&0xff+70_000, 10)
	return uint64(len(b)) + x
}

//perf:mark
//go:noinline
func parentCopy() (x uint64) {
	for range calls {
		x = childCopy(x)
	}
	return x
}

// childCopy copies bytes.
//
//perf:mark
//go:noinline
func childCopy(x uint64) uint64 {
	n := copy(to[:512], from[:])
	n += copy(to[512:], from[:])
	return uint64(n) + x
}

//perf:mark
//go:noinline
func parentDivide() (x uint64) {
	for range calls {
		x = childDivide(x)
	}
	return x
}

// childDivide is a chain of dependent divisions.
//
//perf:mark
//go:noinline
func childDivide(x uint64) uint64 {
	x = (x + 1e9) / (x&15 + 3)
	x = (x + 1e9) / (x&7 + 3)
	x = (x + 1e9) / (x&31 + 3)
	x = (x + 1e9) / (x&63 + 3)
	return (x + 1e9) / (x&3 + 3)
}

//perf:mark
//go:noinline
func parentHash() (x uint64) {
	for range calls {
		x = childHash(x)
	}
	return x
}

// childHash hashes 16 bytes.
//
//perf:mark
//go:noinline
func childHash(x uint64) uint64 {
	h := x ^ 14695981039346656037
	for _, b := range from[:16] {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}
