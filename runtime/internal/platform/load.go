package platform

import "runtime"

// percent converts a load average in hundredths (150 is 1.50) to a percentage of all CPUs.
func percent(hundredths uint64) uint64 { return hundredths / uint64(max(runtime.NumCPU(), 1)) }
