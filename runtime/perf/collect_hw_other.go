//go:build !markgen_off && (!linux || (!amd64 && !arm64))

package perf

// openHW says that there is nothing to read.
func openHW() reader {
	complain("collect=hw: counters of the processor are not read on " + goos + "/" + goarch + "; left out")
	return reader{}
}
