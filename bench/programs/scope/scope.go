// Package scope passes scopes, and reads the clock as often as they do, so that
// the two can be compared in one process. It is built by markgen and measured
// through its benchmarks.
package scope

// Reads makes the two clock reads that a scope cannot do without, n times.
func Reads(n int) {
	for range n {
		ticks()
		ticks()
	}
}

// Adds does n times a dozen additions of which hardly any waits for another: on a
// core that a second thread shares it gets half of what it gets alone, where Reads gets all.
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

// Regions passes a region n times, with no scope around it.
func Regions(n int) {
	for range n {
		//perf:begin outermost
		//perf:end outermost
	}
}

// RegionsNested passes a region n times within another.
func RegionsNested(n int) {
	//perf:begin around regions
	for range n {
		//perf:begin nested
		//perf:end nested
	}
	//perf:end around regions
}

// FunctionReads calls a function n times that reads the clock at its two ends.
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
