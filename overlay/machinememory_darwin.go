package overlay

import "golang.org/x/sys/unix"

// machineMemory is how many bytes of memory the machine has; 0: nobody knows.
func machineMemory() uint64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return n
}
