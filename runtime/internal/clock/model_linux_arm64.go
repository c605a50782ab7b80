package clock

import (
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/layout"
)

// Model returns the register that identifies the first processor: implementer, variant, part and
// revision (MIDR_EL1 of the Arm Architecture Reference Manual). Linux does not tell the processor's
// name; package profile knows it for some of these.
func Model() string {
	var b [layout.SizeCPU]byte
	text := lite.Squeeze(b[:platform.ReadFile("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", b[:])])
	if text == "" {
		return ""
	}
	return "MIDR " + text
}
