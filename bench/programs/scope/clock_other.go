//go:build !amd64 && !arm64

package scope

import "time"

var begun = time.Now()

// ticks reads the monotonic clock, as markgen does without a cycle counter.
func ticks() uint64 { return uint64(time.Since(begun)) }
