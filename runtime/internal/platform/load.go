package platform

import "runtime"

// loadPercent converts a load average in hundredths (150 is 1.50) to a percentage of all CPUs.
func loadPercent(hundredths uint64) uint64 { return hundredths / uint64(max(runtime.NumCPU(), 1)) }
