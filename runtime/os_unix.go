//go:build !markgen_off && (unix || js || wasip1)

package runtime

import (
	"runtime"
	"syscall"
)

// wallNS is the wall clock, ns since the Unix epoch, to the µs.
func wallNS() uint64 {
	var tv syscall.Timeval
	if err := syscall.Gettimeofday(&tv); err != nil {
		return 0
	}
	return uint64(tv.Sec)*1e9 + uint64(tv.Usec)*1e3
}

// writeAll writes b to fd, whatever pieces it takes. A descriptor that does not
// block is tried for a while and then given up.
func writeAll(fd int, b []byte) error {
	for full := 0; len(b) > 0; {
		n, err := syscall.Write(fd, b)
		ioWrote(n)
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN && full < 100000:
			full++
			runtime.Gosched()
		case err != nil:
			return err
		case n <= 0:
			return syscall.EIO
		default:
			b = b[n:]
		}
	}
	return nil
}

func writeStderr(b []byte) { writeAll(2, b) }

// holdsData says whether a path leads to a data file.
func holdsData(path string) bool {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil || st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return false
	}
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer syscall.Close(fd)
	var head [len(Magic)]byte
	n, err := syscall.Read(fd, head[:])
	return err == nil && n == len(head) && string(head[:]) == Magic
}

// writeWhole puts b under the name path so that nobody sees a part of it: a
// temporary file beside it is renamed. A path that is there and no regular file
// (a device, a pipe, a link) is written to instead. A data file stays what it is.
func writeWhole(path string, b []byte) (trouble string) {
	if holdsData(path) {
		return "it is the data file of a run"
	}
	var st syscall.Stat_t
	if syscall.Lstat(path, &st) == nil && st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_TRUNC|syscall.O_CLOEXEC, 0)
		if err != nil {
			return err.Error()
		}
		err = writeAll(fd, b)
		syscall.Close(fd)
		if err != nil {
			return err.Error()
		}
		return ""
	}
	temp := string(appendUint([]byte(path+".tmp"), uint64(syscall.Getpid())))
	syscall.Unlink(temp) // of an earlier process with our id
	fd, err := syscall.Open(temp, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return err.Error()
	}
	err = writeAll(fd, b)
	if e := syscall.Close(fd); err == nil {
		err = e
	}
	if err == nil {
		err = syscall.Rename(temp, path)
	}
	if err != nil {
		syscall.Unlink(temp)
		return err.Error()
	}
	return ""
}

// absolute makes path independent of later changes of the working directory.
func absolute(path string) string {
	if path == "" || path[0] == '/' {
		return path
	}
	wd, err := syscall.Getwd()
	if err != nil {
		return path
	}
	return wd + "/" + path
}

// noFile says whether that is the trouble with a file: there is none.
func noFile(trouble string) bool { return trouble == syscall.ENOENT.Error() }
