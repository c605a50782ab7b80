//go:build !amd64

package clock

import (
	"syscall"

	"github.com/markgen/markgen/runtime/internal/lite"
)

// Model returns the processor's model as the system names it, "" if it does not.
func Model() string {
	text, _ := syscall.Getenv("PROCESSOR_IDENTIFIER")
	return lite.Squeeze([]byte(text))
}
