//go:build !markgen_off && !amd64 && (darwin || freebsd || netbsd || openbsd || dragonfly)

package perf

import (
	"syscall"

	"github.com/markgen/markgen/runtime/internal/lite"
)

// cpuModel is the processor's model as the system names it, "" if it does not.
func cpuModel() string {
	name := "hw.model"
	if goos == "darwin" {
		name = "machdep.cpu.brand_string"
	}
	text, err := syscall.Sysctl(name)
	if err != nil {
		return ""
	}
	return lite.Squeeze([]byte(text))
}
