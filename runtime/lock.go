//go:build !markgen_off

package runtime

import (
	"runtime"
	"sync/atomic"
)

// Two locks, both spinning: what they guard is done in microseconds, seldom,
// and a mutex of package sync would have to stay unmarked by promise instead of
// by need.
var (
	// starting guards start and nothing else.
	starting uint32

	// locked guards everything that is not written by its owner alone:
	// registering, making blocks, finishing. A scope whose cell exists never
	// takes it. It lives outside the memory the race detector watches, so that
	// markers do not order the goroutines of the program and hide its races.
	locked *uint32

	// before is what the goroutine that has locked had allocated until then.
	before account
)

func acquire(p *uint32) {
	for !atomic.CompareAndSwapUint32(p, 0, 1) {
		runtime.Gosched()
	}
}

func release(p *uint32) { atomic.StoreUint32(p, 0) }

// lock and unlock enclose all but a little of what this package allocates, so that
// this is not the program's, in builds that know whose it is.
//
//go:norace
func lock() {
	acquire(locked)
	before = keepAccount()
}

//go:norace
func unlock() {
	before.restore()
	release(locked)
}
