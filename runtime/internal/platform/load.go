package platform

import "runtime"

// percent is a load as a part of what the processors can do.
func percent(hundredths uint64) uint64 { return hundredths / uint64(max(runtime.NumCPU(), 1)) }
