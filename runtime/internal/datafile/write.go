//go:build !plan9

package datafile

import (
	"runtime"
	"syscall"

	"github.com/markgen/markgen/runtime/internal/lite"
)

// again repeats a system call until no signal interrupts it, and returns its error, or 0.
//
//go:noinline
func again(call func() error) syscall.Errno {
	for {
		if e := errno(call()); e != syscall.EINTR {
			return e
		}
	}
}

// errno returns the number of an error of package syscall, 0 for none. Inside this package numbers
// are errors: comparing an interface takes three times the code.
//
//go:noinline
func errno(err error) syscall.Errno {
	if e, ok := err.(syscall.Errno); ok || err == nil {
		return e
	}
	return syscall.EIO
}

// writeAll writes all of b to fd. A non-blocking descriptor is given up after pipePatience without
// a reader.
func writeAll(fd handle, b []byte) syscall.Errno {
	since := nanotime()
	for len(b) > 0 {
		n, err := syscall.Write(fd, b)
		OnWrite(n)
		switch e := errno(err); {
		case e == syscall.EINTR:
		case e == syscall.EAGAIN && nanotime()-since < pipePatience:
			runtime.Gosched()
		case e != 0:
			return e
		case n <= 0:
			return syscall.EIO
		default:
			b = b[n:]
			since = nanotime()
		}
	}
	return 0
}

// WriteStderr writes b to the process's stderr.
func WriteStderr(b []byte) { writeAll(syscall.Stderr, b) }

// WriteWhole writes b to the file path atomically: it renames a temporary file beside it. If path
// exists and is not a regular file (a device, a pipe, a link), it is written to instead. A data
// file is not overwritten.
func WriteWhole(path string, b []byte) (problem string) {
	if done, problem := writeInPlace(path, b); done {
		return problem
	}
	temp := path + ".tmp" + lite.Uint(uint64(syscall.Getpid()))
	syscall.Unlink(temp) // left by an earlier process with this ID
	fd, e := open(temp, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL)
	if e != 0 {
		return e.Error()
	}
	e = writeAll(fd, b)
	if closing := errno(syscall.Close(fd)); e == 0 {
		e = closing
	}
	if e == 0 {
		e = errno(rename(temp, path))
	}
	if e != 0 {
		syscall.Unlink(temp)
	}
	return problemOf(e)
}

// problemOf returns the message for an error, "" if e is 0.
func problemOf(e syscall.Errno) string {
	switch e {
	case 0:
		return ""
	case syscall.ENXIO:
		return "nobody reads from it"
	case syscall.EAGAIN:
		return "nobody reads from it any more"
	}
	return e.Error()
}
