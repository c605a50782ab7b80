package datafile

import (
	"syscall"

	"github.com/markgen/markgen/runtime/layout"
)

// whyNoDir returns the reason why dir does not exist after mkdir failed with e, or "" if it
// exists.
func whyNoDir(dir string, e syscall.Errno) (problem string) {
	if e == syscall.ERROR_ALREADY_EXISTS {
		return ""
	}
	return e.Error()
}

// dirSize returns the total size of the files in a directory, without subdirectories.
func dirSize(dir string) (size uint64) {
	pattern, err := syscall.UTF16PtrFromString(dir + `\*`)
	if err != nil {
		return 0
	}
	var found syscall.Win32finddata
	h, err := syscall.FindFirstFile(pattern, &found)
	for ; err == nil; err = syscall.FindNextFile(h, &found) {
		if found.FileAttributes&syscall.FILE_ATTRIBUTE_DIRECTORY == 0 {
			size += uint64(found.FileSizeHigh)<<32 | uint64(found.FileSizeLow)
		}
	}
	if h != syscall.InvalidHandle {
		syscall.FindClose(h)
	}
	return size
}

// countRefusal makes layout.SpoolRefusals a byte longer, creating it if necessary.
func countRefusal(dir string) {
	fd, e := open(dir+"/"+layout.SpoolRefusals, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_APPEND)
	if e == 0 {
		writeAll(fd, []byte{'+'})
		syscall.CloseHandle(fd)
	}
}
