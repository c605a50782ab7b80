// Command finalizers has finalizers, cleanups, weak pointers, pools and big frames: markers keep nothing
// alive and let stacks grow.
package main

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"
	"weak"
)

type big struct{ b [1 << 16]byte }

func finalized() bool {
	done := make(chan bool, 1)
	func() {
		p := &big{}
		runtime.SetFinalizer(p, func(p *big) {
			for range p.b[:3] {
				done <- true
				return
			}
		})
		p.b[0] = 1
		runtime.KeepAlive(p)
	}()
	for range 50 {
		runtime.GC()
		select {
		case <-done:
			return true
		case <-time.After(time.Millisecond):
		}
	}
	return false
}

func weakly() bool {
	var w weak.Pointer[big]
	func() {
		p := new(big)
		w = weak.Make(p)
		if p.b[1] != 0 {
			panic("not zero")
		}
	}()
	for range 50 {
		if runtime.GC(); w.Value() == nil {
			return true
		}
	}
	return false
}

func frame(n int) (s int) {
	var b [1 << 14]byte
	for i := range b {
		b[i] = byte(i + n)
	}
	if n > 0 {
		s = frame(n - 1)
	}
	return s + int(b[n])
}

func pointers(p unsafe.Pointer) uintptr {
	if p == nil {
		return 0
	}
	for q := uintptr(p); ; q++ {
		if q%8 == 0 {
			return q - uintptr(p)
		}
	}
}

func main() {
	fmt.Println(finalized(), weakly(), frame(200))
	var x [2]int64
	fmt.Println(pointers(nil), pointers(unsafe.Pointer(&x)))
}
