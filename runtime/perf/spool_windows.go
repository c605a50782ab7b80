//go:build !markgen_off

package perf

import "syscall"

// makeDir makes a directory and those it is in; one that there is stays as it is. Nothing is dropped (dropFile), so it
// does not say how many it made.
func makeDir(dir string) (made int, trouble string) {
	err := syscall.Mkdir(dir, 0o700)
	if err == syscall.ERROR_PATH_NOT_FOUND {
		for i := len(dir) - 1; i > 2; i-- {
			if dir[i] == '\\' || dir[i] == '/' {
				if _, trouble = makeDir(dir[:i]); trouble != "" {
					return 0, trouble
				}
				err = syscall.Mkdir(dir, 0o700)
				break
			}
		}
	}
	if err != nil && err != syscall.ERROR_ALREADY_EXISTS {
		return 0, err.Error()
	}
	return 0, ""
}

func dropDirs(dir string, n int) {}

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

// addByte makes a file a byte longer.
func addByte(path string) {
	fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_APPEND|syscall.O_CLOEXEC, 0o600)
	if err == nil {
		writeAll(fd, []byte{'+'})
		syscall.CloseHandle(fd)
	}
}
