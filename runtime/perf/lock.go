//go:build !markgen_off

package perf

import (
	"runtime"
	"sync/atomic"
)

// A mutex guards what takes microseconds and is seldom done. (That of package sync may have
// markers.) A goroutine that finds it locked yields, and waits only if that does not help: with
// thousands of goroutines at their first passages, all of them would otherwise be tried again and
// again before the one that holds it gets a processor.
type mutex struct{ held, waiting, wake uint32 }

// lockTries is how often a goroutine looks before it waits.
const lockTries = 16

var (
	// starting guards start and nothing else.
	starting mutex

	// locked guards everything that is not written by its owner alone:
	// registering, making blocks, finishing. A scope whose cell exists never
	// takes it. It lives outside the memory the race detector watches, so that
	// markers do not order the goroutines of the program and hide its races.
	locked *mutex

	// before is what the goroutine that has locked had allocated until then.
	before account
)

func acquire(m *mutex) {
	for range lockTries {
		if atomic.CompareAndSwapUint32(&m.held, 0, 1) {
			return
		}
		runtime.Gosched()
	}
	atomic.AddUint32(&m.waiting, 1)
	for !atomic.CompareAndSwapUint32(&m.held, 0, 1) {
		semacquire(&m.wake)
	}
	atomic.AddUint32(&m.waiting, 1<<32-1)
}

// release wakes a goroutine that waits, unless one has been woken already.
func release(m *mutex) {
	atomic.StoreUint32(&m.held, 0)
	if atomic.LoadUint32(&m.waiting) > 0 && atomic.LoadUint32(&m.wake) == 0 {
		semrelease(&m.wake, false, 0)
	}
}

// lock and unlock enclose nearly all allocations of this package, which deep builds so do not count
// as the program's.
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
