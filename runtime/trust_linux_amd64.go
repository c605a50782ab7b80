//go:build !markgen_off

package runtime

import (
	"syscall"
	"unsafe"
)

// clockSource names the clock source the kernel settled on.
const clockSource = "/sys/devices/system/clocksource/clocksource0/current_clocksource"

// systemTrustsTSC is called for an invariant TSC only. The kernel watches the
// TSC and drops it for hpet or acpi_pm when processors disagree, so any of
// those means no. The clocks of hypervisors are themselves the TSC with a scale
// and an offset; with an invariant TSC underneath they mean yes. So does a
// source we cannot read mean no, and prctl(PR_SET_TSC, PR_TSC_SIGSEGV), under
// which the instruction would fault.
func systemTrustsTSC() bool {
	const getTSC, tscEnabled = 25, 1 // PR_GET_TSC, PR_TSC_ENABLE of linux/prctl.h
	var mode int32
	if _, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, getTSC, uintptr(unsafe.Pointer(&mode)), 0); e != 0 || mode != tscEnabled {
		return false
	}
	var b [64]byte
	n := readFile(clockSource, b[:])
	for n > 0 && b[n-1] == '\n' {
		n--
	}
	switch string(b[:n]) {
	case "tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "xen":
		return true
	}
	return false
}

// readFile reads the beginning of a small file into b and says how much.
func readFile(path string, b []byte) int {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	n, err := syscall.Read(fd, b)
	syscall.Close(fd)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
