//go:build !amd64 && !arm64

package scope

import "time"

var begun = time.Now()

// ticks reads the monotonic clock where markgen has no better.
func ticks() uint64 { return uint64(time.Since(begun)) }
