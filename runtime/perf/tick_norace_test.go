//go:build markgen_virtual && !race && !markgen_off

package perf

import (
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// A counter may be turned off while it is executed: at the end of a window, or at a pause.
func TestTickTakenAway(t *testing.T) {
	var n uint64
	var c Counter
	at := (*unsafe.Pointer)(unsafe.Pointer(&c.P))
	done := make(chan bool)
	go func() {
		for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); {
			for range 1000 {
				atomic.StorePointer(at, unsafe.Pointer(&n))
				atomic.StorePointer(at, nil)
			}
		}
		close(done)
	}()
	for {
		select {
		case <-done:
			if n == 0 {
				t.Error("nothing was counted")
			}
			return
		default:
			for range 1000 {
				Tick(&c)
			}
		}
	}
}
