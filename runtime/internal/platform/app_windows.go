package platform

import (
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/lite"
)

// AppName returns the name of the executable as in the command line, without its directory and the
// suffix .exe.
func AppName() string {
	line := syscall.UTF16ToString(unsafe.Slice(syscall.GetCommandLine(), 1<<15))
	var path string
	if line != "" && line[0] == '"' {
		path, _ = lite.Cut(line[1:], '"')
	} else {
		path, _ = lite.Cut(line, ' ')
	}
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '\\' || path[i] == '/' || path[i] == ':' {
			path = path[i+1:]
			break
		}
	}
	if n := len(path) - len(".exe"); n > 0 && (path[n:] == ".exe" || path[n:] == ".EXE") {
		path = path[:n]
	}
	if path == "" {
		return "app"
	}
	return path
}
