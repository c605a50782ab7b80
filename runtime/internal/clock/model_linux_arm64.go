package clock

import (
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/layout"
)

// Model returns the register that identifies the first processor: implementer, variant, part and
// revision (MIDR_EL1 of the Arm Architecture Reference Manual). No file has the names of these;
// package profile has some.
func Model() string {
	var b [layout.SizeCPU]byte
	text := lite.Squeeze(b[:platform.ReadFile("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", b[:])])
	if text == "" {
		return ""
	}
	return "MIDR " + text
}
