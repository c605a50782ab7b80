//go:build !linux && !darwin

package overlay

// machineMemory returns 0: the size of the memory is unknown.
func machineMemory() uint64 { return 0 }
