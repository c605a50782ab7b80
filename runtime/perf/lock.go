//go:build !markgen_off

package perf

import (
	"runtime"
	"sync/atomic"
)

// A mutex guards rare work of microseconds. (The mutexes of package sync may have markers.) A
// goroutine that finds it locked yields, and blocks only if that does not help: with thousands of
// goroutines at first scopes, all of them would otherwise be scheduled over and over before the one
// that holds the mutex gets a processor.
type mutex struct{ held, waiting, wake uint32 }

// lockTries is the number of attempts before a goroutine blocks.
const lockTries = 16

var (
	// starting guards start and the state that begin and Configure change.
	starting mutex

	// locked guards everything that has several writers: registering, making blocks, finishing. A
	// scope whose cell exists never acquires it. It is outside the memory that the race detector
	// watches, so that markers do not order the goroutines of the program and hide its races.
	locked *mutex

	// before is what the goroutine that holds locked had allocated until then.
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

// release unlocks m and wakes a waiting goroutine, unless one has been woken already.
func release(m *mutex) {
	atomic.StoreUint32(&m.held, 0)
	if atomic.LoadUint32(&m.waiting) > 0 && atomic.LoadUint32(&m.wake) == 0 {
		semrelease(&m.wake, false, 0)
	}
}

// lock and unlock enclose nearly all allocations of this package, so that deep builds do not count
// them as the program's.
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
