package clock

import (
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/platform"
)

// clockSource is the file with the name of the kernel's clock source.
const clockSource = "/sys/devices/system/clocksource/clocksource0/current_clocksource"

// systemTrustsTSC is only called if the TSC is invariant. The kernel watches the TSC and replaces
// it by hpet or acpi_pm when processors disagree, so with these it returns false. The clocks of
// hypervisors are the TSC with a scale and an offset; if the TSC is invariant, it returns true. It
// returns false for a source that cannot be read, and with prctl(PR_SET_TSC, PR_TSC_SIGSEGV), under
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
