//go:build !markgen_off && (unix || js || wasip1)

package perf

import (
	"runtime"
	"syscall"

	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// openFD opens a file as this package opens all that have a name. It never waits, for the other end
// of a pipe say, and tells what was opened. With noFollow in flags, a symbolic link is an error;
// with O_CREAT, a new file is for its owner only.
func openFD(path string, flags int, st *syscall.Stat_t) (fd int, err error) {
	for {
		if fd, err = syscall.Open(path, flags|dontWait|syscall.O_CLOEXEC, 0o600); err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		return -1, err
	}
	if err = syscall.Fstat(fd, st); err != nil {
		syscall.Close(fd)
		return -1, err
	}
	return fd, nil
}

// isKind says whether a file is of a kind: syscall.S_IFREG, say.
func isKind(st *syscall.Stat_t, kind uint32) bool { return uint32(st.Mode)&syscall.S_IFMT == kind }

// othersMade says whether a link or a pipe was made by another user, root aside. Where everybody may make files it can
// be there to have this process write somewhere else with its rights.
func othersMade(st *syscall.Stat_t) bool {
	return (isKind(st, syscall.S_IFLNK) || isKind(st, syscall.S_IFIFO)) && st.Uid != 0 && int(st.Uid) != syscall.Geteuid()
}

// openListed opens a file that is read as a whole. One in a spool has to be a regular file; one that MARKGEN names may
// be a link, and a pipe.
func openListed(path string, spooled bool) (fd int, pipe bool, trouble string) {
	flags := syscall.O_RDONLY
	if spooled {
		flags |= noFollow
	}
	var st syscall.Stat_t
	fd, err := openFD(path, flags, &st)
	if err != nil {
		return -1, false, err.Error()
	}
	pipe = isKind(&st, syscall.S_IFIFO)
	if !isKind(&st, syscall.S_IFREG) && (spooled || !pipe) {
		syscall.Close(fd)
		return -1, false, "not a regular file"
	}
	return fd, pipe, ""
}

// writeAll writes b to fd, whatever pieces it takes. A descriptor that does not
// block is given up when nobody reads for pipePatience.
func writeAll(fd int, b []byte) error {
	since := nanotime()
	for len(b) > 0 {
		n, err := syscall.Write(fd, b)
		ioWrote(n)
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

func writeStderr(b []byte) { writeAll(2, b) }

// holdsData says whether a path leads to a data file.
func holdsData(path string) bool {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil || !isKind(&st, syscall.S_IFREG) {
		return false
	}
	fd, err := openFD(path, syscall.O_RDONLY, &st)
	if err != nil {
		return false
	}
	defer syscall.Close(fd)
	var head [len(layout.Magic)]byte
	n, err := syscall.Read(fd, head[:])
	return err == nil && n == len(head) && string(head[:]) == layout.Magic
}

// writeWhole puts b under the name path so that nobody sees a part of it: a
// temporary file beside it is renamed. A path that is there and no regular file
// (a device, a pipe, a link) is written to instead. A data file stays what it is.
func writeWhole(path string, b []byte) (trouble string) {
	if holdsData(path) {
		return "it is the data file of a run"
	}
	var st syscall.Stat_t
	if syscall.Lstat(path, &st) == nil && !isKind(&st, syscall.S_IFREG) {
		return writeInto(path, &st, b)
	}
	temp := string(lite.AppendUint([]byte(path+".tmp"), uint64(syscall.Getpid())))
	syscall.Unlink(temp) // of an earlier process with our id
	fd, err := openFD(temp, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL, &st)
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

// writeInto writes b to a device, a pipe or a link, which is st. What is the process's own stdout
// or stderr, /dev/stderr say, is written to as the process itself does, behind what is there.
func writeInto(path string, st *syscall.Stat_t, b []byte) (trouble string) {
	if othersMade(st) {
		return "a link or pipe of another user; give a path where that user makes no files"
	}
	flags := syscall.O_WRONLY
	if isKind(st, syscall.S_IFLNK) {
		var to, own syscall.Stat_t
		for fd := 1; fd <= 2 && syscall.Stat(path, &to) == nil; fd++ {
			if syscall.Fstat(fd, &own) == nil && own.Dev == to.Dev && own.Ino == to.Ino {
				return troubleOf(writeAll(fd, b))
			}
		}
	} else {
		flags |= noFollow
	}
	fd, err := openFD(path, flags, st)
	if err == syscall.ENXIO {
		return "nobody reads from it"
	}
	if err == nil {
		if isKind(st, syscall.S_IFREG) {
			err = syscall.Ftruncate(fd, 0)
		}
		if err == nil {
			err = writeAll(fd, b)
		}
		syscall.Close(fd)
	}
	return troubleOf(err)
}

// troubleOf is what an error says, "" if there is none.
func troubleOf(err error) string {
	switch err {
	case nil:
		return ""
	case syscall.EAGAIN:
		return "nobody reads from it any more"
	}
	return err.Error()
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
