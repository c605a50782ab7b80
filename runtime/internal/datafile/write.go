//go:build !plan9

package datafile

import (
	"runtime"
	"syscall"

	"github.com/markgen/markgen/runtime/internal/lite"
)

// again repeats a system call until no signal interrupts it.
func again(call func() error) (err error) {
	for {
		if err = call(); err != syscall.EINTR {
			return err
		}
	}
}

// writeAll writes all of b to fd. A non-blocking descriptor is given up after pipePatience without
// a reader.
func writeAll(fd handle, b []byte) error {
	since := nanotime()
	for len(b) > 0 {
		n, err := syscall.Write(fd, b)
		OnWrite(n)
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN && nanotime()-since < pipePatience:
			runtime.Gosched()
		case err != nil:
			return err
		case n <= 0:
			return syscall.EIO
		default:
			b = b[n:]
			since = nanotime()
		}
	}
	return nil
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
	fd, err := open(temp, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL)
	if err != nil {
		return err.Error()
	}
	err = writeAll(fd, b)
	if e := syscall.Close(fd); err == nil {
		err = e
	}
	if err == nil {
		err = rename(temp, path)
	}
	if err != nil {
		syscall.Unlink(temp)
	}
	return problemOf(err)
}

// problemOf returns the message for an error, "" if err is nil.
func problemOf(err error) string {
	switch err {
	case nil:
		return ""
	case syscall.ENXIO:
		return "nobody reads from it"
	case syscall.EAGAIN:
		return "nobody reads from it any more"
	}
	return err.Error()
}
