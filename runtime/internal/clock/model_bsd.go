//go:build !amd64 && (darwin || freebsd || netbsd || openbsd || dragonfly)

package clock

import (
	"runtime"
	"syscall"

	"github.com/markgen/markgen/runtime/internal/lite"
)

// Model returns the processor's model as the system names it, "" if it does not.
func Model() string {
	name := "hw.model"
	if runtime.GOOS == "darwin" {
		name = "machdep.cpu.brand_string"
	}
	text, err := syscall.Sysctl(name)
	if err != nil {
		return ""
	}
	return lite.Squeeze([]byte(text))
}
