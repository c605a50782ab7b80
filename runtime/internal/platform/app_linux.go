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
	path := string(b[:n])
	if len(path) > len(gone) && path[len(path)-len(gone):] == gone {
		path = path[:len(path)-len(gone)]
	}
	return programName(path)
}
