package datafile

import (
	"syscall"

	"github.com/markgen/markgen/runtime/layout"
)

// whyNoDir is what keeps a directory from being there after mkdir has failed; "": nothing.
func whyNoDir(dir string, err error) (trouble string) {
	if err == syscall.ERROR_ALREADY_EXISTS {
		return ""
	}
	return err.Error()
}

// dirSize is how many bytes the files of a directory have, those in directories within left out.
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

// countRefusal makes layout.SpoolRefusals a byte longer, or makes it.
func countRefusal(dir string) {
	fd, err := open(dir+"/"+layout.SpoolRefusals, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_APPEND)
	if err == nil {
		writeAll(fd, []byte{'+'})
		syscall.CloseHandle(fd)
	}
}
