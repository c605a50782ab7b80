// Package scope executes scopes, and makes the clock reads they need, so that the two can be
// compared in one process. It is built by markgen and measured through its benchmarks.
package scope

// Reads makes n times the two clock reads that a scope cannot do without.
func Reads(n int) {
	for range n {
		ticks()
		ticks()
	}
}

// Adds does n times a dozen mostly independent additions: on a core shared with another hardware
// thread it runs at half speed, while Reads keeps its speed.
//
//perf:skip
func Adds(n int) uint64 {
	var a, b, c, d uint64
	for i := range n {
		x := uint64(i)
		a += x + 1
		b += x + 3
		c += x + 5
		d += x + 7
		a ^= 9
		b ^= 11
		c ^= 13
		d ^= 15
	}
	return a + b + c + d
}

// Regions executes a region n times, with no scope around it.
func Regions(n int) {
	for range n {
		//perf:begin outermost
		//perf:end outermost
	}
}

// RegionsNested executes a region n times within another.
func RegionsNested(n int) {
	//perf:begin around regions
	for range n {
		//perf:begin nested
		//perf:end nested
	}
	//perf:end around regions
}

// FunctionReads calls n times a function that reads the clock at its start and end.
func FunctionReads(n int) (x int) {
	for range n {
		x = functionRead(x)
	}
	return x
}

// Functions calls a marked function n times, with no scope around it.
func Functions(n int) (x int) {
	for range n {
		x = function(x)
	}
	return x
}

// FunctionsNested calls a marked function n times within a region.
func FunctionsNested(n int) (x int) {
	//perf:begin around functions
	for range n {
		x = function(x)
	}
	//perf:end around functions
	return x
}

//go:noinline
func functionRead(x int) int {
	ticks()
	x++
	ticks()
	return x
}

//perf:mark
//go:noinline
func function(x int) int {
	x++
	return x
}
