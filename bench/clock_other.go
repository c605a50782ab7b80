//go:build !unix

package main

import "time"

var begun = time.Now()

// processorTime returns the time since the program started: this system reports no CPU time.
func processorTime() time.Duration { return time.Since(begun) }
