//go:build !linux || (!amd64 && !arm64)

package collect

import "runtime"

// openHW says that there is nothing to read.
func openHW(Process) (r Reader, missing []string) {
	return r, []string{"counters of the processor are not read on " + runtime.GOOS + "/" + runtime.GOARCH}
}
