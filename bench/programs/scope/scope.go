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
