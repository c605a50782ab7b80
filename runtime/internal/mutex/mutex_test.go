//go:build go1.26

package mutex

import (
	"runtime"
	"sync"
	"testing"
)

// Every goroutine that waits for a mutex gets it, one at a time, even if all have to wait and its
// owner holds it for long.
func TestMutex(t *testing.T) {
	for _, procs := range []int{1, 2, 32} {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			const goroutines, each = 500, 20
			var m Mutex
			var all sync.WaitGroup
			n := 0
			for range goroutines {
				all.Go(func() {
					for range each {
						m.Lock()
						k := n
						for range 2 * tries {
							runtime.Gosched()
						}
						n = k + 1
						m.Unlock()
					}
				})
			}
			all.Wait()
			if n != goroutines*each || m.held != 0 || m.waiting != 0 {
				t.Errorf("%d processors: %d of %d, held %d, waiting %d", procs, n, goroutines*each, m.held, m.waiting)
			}
		}()
	}
}
