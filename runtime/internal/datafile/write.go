//go:build !plan9

package datafile

import (
	"runtime"
	"syscall"

	"github.com/markgen/markgen/runtime/internal/lite"
)

// again makes a system call until no signal interrupts it.
func again(call func() error) (err error) {
	for {
		if err = call(); err != syscall.EINTR {
			return err
		}
	}
}

// writeAll writes b to fd, whatever pieces it takes. A descriptor that does not
// block is given up when nobody reads for pipePatience.
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

// WriteWhole puts b under the name path so that nobody sees a part of it: a
// temporary file beside it is renamed. A path that is there and no regular file
// (a device, a pipe, a link) is written to instead. A data file stays what it is.
func WriteWhole(path string, b []byte) (trouble string) {
	if done, trouble := writeThere(path, b); done {
		return trouble
	}
	temp := string(lite.AppendUint([]byte(path+".tmp"), uint64(syscall.Getpid())))
	syscall.Unlink(temp) // of an earlier process with our id
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
	return troubleOf(err)
}

// troubleOf is what an error says, "" if there is none.
func troubleOf(err error) string {
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
