//go:build !markgen_off

package perf

import (
	"syscall"

	"github.com/markgen/markgen/runtime/internal/lite"
)

func writeAll(fd syscall.Handle, b []byte) error {
	for len(b) > 0 {
		n, err := syscall.Write(fd, b)
		if err != nil {
			return err
		}
		if n <= 0 {
			return syscall.EIO
		}
		b = b[n:]
	}
	return nil
}

// openListed opens a file that is read as a whole.
func openListed(path string, spooled bool) (fd syscall.Handle, pipe bool, trouble string) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return fd, false, err.Error()
	}
	if kind, err := syscall.GetFileType(fd); err != nil || kind != syscall.FILE_TYPE_DISK {
		syscall.CloseHandle(fd)
		return fd, false, "not a regular file"
	}
	return fd, false, ""
}

func writeStderr(b []byte) { writeAll(syscall.Stderr, b) }

// writeWhole puts b under the name path so that nobody sees a part of it.
func writeWhole(path string, b []byte) (trouble string) {
	temp := string(lite.AppendUint([]byte(path+".tmp"), uint64(syscall.Getpid())))
	syscall.Unlink(temp) // of an earlier process with our id
	fd, err := syscall.Open(temp, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return err.Error()
	}
	err = writeAll(fd, b)
	if e := syscall.CloseHandle(fd); err == nil {
		err = e
	}
	if err == nil {
		err = rename(temp, path)
	}
	if err != nil {
		syscall.Unlink(temp)
		return err.Error()
	}
	return ""
}

// rename replaces what is there; MoveFile alone refuses to.
func rename(from, to string) error {
	err := syscall.Rename(from, to)
	if err == nil {
		return nil
	}
	if syscall.Unlink(to) != nil {
		return err
	}
	return syscall.Rename(from, to)
}

// absolute makes path independent of later changes of the working directory.
func absolute(path string) string {
	if full, err := syscall.FullPath(path); err == nil {
		return full
	}
	return path
}

// noFile says whether that is the trouble with a file: there is none.
func noFile(trouble string) bool {
	return trouble == syscall.ERROR_FILE_NOT_FOUND.Error() || trouble == syscall.ERROR_PATH_NOT_FOUND.Error()
}
