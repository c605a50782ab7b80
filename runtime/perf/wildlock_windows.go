//go:build !markgen_off

package perf

import (
	"syscall"

	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// mostWild is how many processes of one user collect by collect=wild at once.
const mostWild = 6

// held is the file that this process has open, one of mostWild in a directory of the
// user's, which nobody else can open meanwhile; it is closed with the process, however
// that ends. 0: none.
var held syscall.Handle

// sharingViolation is what opening a file gives that somebody has open and does not
// share (ERROR_SHARING_VIOLATION).
const sharingViolation = syscall.Errno(32)

// takePlace takes one, or says why there is none.
func takePlace() (refused uint64) {
	temp, ok := syscall.Getenv("TEMP")
	if !ok || temp == "" {
		return layout.WildNoPlace
	}
	dir := temp + `\markgen-wild`
	syscall.Mkdir(dir, 0o700)
	for n := uint64(1); n <= mostWild; n++ {
		name, err := syscall.UTF16PtrFromString(string(lite.AppendUint([]byte(dir+`\`), n)))
		if err != nil {
			return layout.WildNoPlace
		}
		h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
		if err == nil {
			held = h
			return layout.WildPicked
		}
		if err != sharingViolation {
			return layout.WildNoPlace
		}
	}
	return layout.WildFull
}

// leavePlace gives it to others.
func leavePlace() {
	if held != 0 {
		syscall.CloseHandle(held)
	}
	held = 0
}
