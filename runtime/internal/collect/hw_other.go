//go:build !linux || (!amd64 && !arm64)

package collect

import "runtime"

// openHW returns no reader: there are no counters.
func openHW(*Process) (r *Reader, missing []string) {
	return nil, []string{"counters of the processor are not read on " + runtime.GOOS + "/" + runtime.GOARCH}
}
