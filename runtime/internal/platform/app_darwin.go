package platform

import (
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/lite"
)

// AppName returns the name of the executable, without its directory: the kernel stores the path it
// was started by before the arguments (sysctl kern.procargs2, as ps reads it).
func AppName() string {
	const ctlKern, procArgs2 = 1, 49
	mib := [3]int32{ctlKern, procArgs2, int32(syscall.Getpid())}
	b := make([]byte, 1<<20)
	n := uintptr(len(b))
	_, _, e := syscall.Syscall6(syscall.SYS___SYSCTL, uintptr(unsafe.Pointer(&mib)), uintptr(len(mib)),
		uintptr(unsafe.Pointer(&b[0])), uintptr(unsafe.Pointer(&n)), 0, 0)
	const argc = 4 // the count of arguments comes first
	if e != 0 || n <= argc || n > uintptr(len(b)) {
		return "app"
	}
	path, _ := lite.Cut(string(b[argc:n]), 0)
	if name := programName(path); name != "" {
		return name
	}
	return "app"
}
