package clock

import (
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/platform"
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
	n := platform.ReadFile(clockSource, b[:])
	for n > 0 && b[n-1] == '\n' {
		n--
	}
	switch string(b[:n]) {
	case "tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "xen":
		return true
	}
	return false
}
