// Package lib leaves many scopes open that a panic or runtime.Goexit passes.
package lib

import "runtime"

// down opens 2 n scopes, and calls end.
func down(n int, end func()) {
	for range 2 {
		if n == 0 {
			end()
		}
		down(n-1, end)
	}
}

// Caught recovers from a panic in n calls.
func Caught(n int) {
	defer func() { _ = recover() }()
	down(n, func() { panic(n) })
}

// Gone ends the goroutine in n calls.
func Gone(n int) { down(n, runtime.Goexit) }
