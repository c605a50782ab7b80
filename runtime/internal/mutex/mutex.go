// Package mutex has a mutex for rare work of microseconds. Those of package sync may have markers.
//
//	var m mutex.Mutex
//	m.Lock()
//	defer m.Unlock()
package mutex

import (
	"runtime"
	"sync/atomic"
	_ "unsafe" // for go:linkname
)

// A Mutex is unlocked if it is zero. A goroutine that finds it locked yields, and blocks only if
// that does not help: with thousands of goroutines at first scopes, all of them would otherwise be
// scheduled over and over before the one that holds the mutex gets a processor.
type Mutex struct{ held, waiting, wake uint32 }

// tries is the number of attempts before a goroutine blocks.
const tries = 16

// Lock waits until no other goroutine holds m.
func (m *Mutex) Lock() {
	for range tries {
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

// Unlock wakes a waiting goroutine, unless one has been woken already.
func (m *Mutex) Unlock() {
	atomic.StoreUint32(&m.held, 0)
	if atomic.LoadUint32(&m.waiting) > 0 && atomic.LoadUint32(&m.wake) == 0 {
		semrelease(&m.wake, false, 0)
	}
}

// semacquire waits until *n is greater than 0 and decrements it; semrelease increments it and wakes
// one waiter. Modules may link to both, see runtime/sema.go.
//
//go:linkname semacquire sync.runtime_Semacquire
func semacquire(n *uint32)

//go:linkname semrelease sync.runtime_Semrelease
func semrelease(n *uint32, handoff bool, skipframes int)
