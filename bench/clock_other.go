//go:build !unix

package main

import "time"

var begun = time.Now()

// processorTime is the time since the start where no better is to be had.
func processorTime() time.Duration { return time.Since(begun) }
