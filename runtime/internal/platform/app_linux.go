package platform

import "syscall"

// AppName returns the name of the executable, without its directory.
func AppName() string {
	const gone = " (deleted)"
	var b [4096]byte
	n, err := syscall.Readlink("/proc/self/exe", b[:])
	if err != nil || n <= 0 {
		return "app"
	}
	name := lastElement(string(b[:n]))
	if len(name) > len(gone) && name[len(name)-len(gone):] == gone {
		name = name[:len(name)-len(gone)]
	}
	return name
}
