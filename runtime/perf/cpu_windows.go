//go:build !markgen_off && !amd64

package perf

import (
	"syscall"

	"github.com/markgen/markgen/runtime/internal/lite"
)

// cpuModel is the processor's model as the system names it, "" if it does not.
func cpuModel() string {
	text, _ := syscall.Getenv("PROCESSOR_IDENTIFIER")
	return lite.Squeeze([]byte(text))
}
