//go:build !markgen_off

package perf

import "github.com/markgen/markgen/runtime/internal/mutex"

var (
	// starting guards start and the state that begin and Configure change.
	starting mutex.Mutex

	// locked guards everything that has several writers: registering, making blocks, finishing. A
	// scope whose cell exists never acquires it. It is outside the memory that the race detector
	// watches, so that markers do not order the goroutines of the program and hide its races.
	locked *mutex.Mutex

	// before is what the goroutine that holds locked had allocated until then.
	before account
)

// lock and unlock enclose nearly all allocations of this package, so that deep builds do not count
// them as the program's.
//
//go:norace
//go:noinline
func lock() {
	locked.Lock()
	before = keepAccount()
}

//go:norace
//go:noinline
func unlock() {
	before.restore()
	locked.Unlock()
}
