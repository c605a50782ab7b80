package scope

import (
	"runtime"
	"sync"
	"testing"
)

// on calls pass(b.N) on each processor at once, with a goroutine for each: on processors that share
// nothing, it takes as long as on one.
func on(b *testing.B, pass func(n int)) {
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() { pass(b.N) })
	}
	all.Wait()
}

func BenchmarkReads(b *testing.B)           { on(b, Reads) }
func BenchmarkAdds(b *testing.B)            { on(b, func(n int) { Adds(n) }) }
func BenchmarkRegions(b *testing.B)         { on(b, Regions) }
func BenchmarkRegionsNested(b *testing.B)   { on(b, RegionsNested) }
func BenchmarkFunctionReads(b *testing.B)   { on(b, func(n int) { FunctionReads(n) }) }
func BenchmarkFunctions(b *testing.B)       { on(b, func(n int) { Functions(n) }) }
func BenchmarkFunctionsNested(b *testing.B) { on(b, func(n int) { FunctionsNested(n) }) }
