//go:build unix || js || wasip1

package datafile

import "syscall"

// handle is the system's handle of an open file.
type handle = int

// open opens a file like OpenFD.
//
//go:noinline
func open(path string, flags int) (fd handle, e syscall.Errno) {
	e = again(func() (err error) {
		fd, err = syscall.Open(path, flags|dontWait|syscall.O_CLOEXEC, 0o600)
		return err
	})
	return fd, e
}

// OpenFD opens a file in the way that this package opens all named files: it never blocks, waiting
// for the other end of a pipe, say, and it stores the status of the opened file in st. With
// O_NOFOLLOW in flags, a symbolic link is an error; with O_CREAT, a new file is for its owner only.
func OpenFD(path string, flags int, st *syscall.Stat_t) (fd int, e syscall.Errno) {
	if fd, e = open(path, flags); e != 0 {
		return -1, e
	}
	if e = errno(syscall.Fstat(fd, st)); e != 0 {
		syscall.Close(fd)
		return -1, e
	}
	return fd, 0
}

// isKind reports whether a file is of a kind, such as syscall.S_IFREG.
func isKind(st *syscall.Stat_t, kind uint32) bool { return uint32(st.Mode)&syscall.S_IFMT == kind }

// othersMade reports whether a link or a pipe was made by another user who is not root. In a
// world-writable directory its purpose may be to make this process write somewhere else, with this
// user's rights.
func othersMade(st *syscall.Stat_t) bool {
	return (isKind(st, syscall.S_IFLNK) || isKind(st, syscall.S_IFIFO)) && st.Uid != 0 && int(st.Uid) != syscall.Geteuid()
}

// openForReading opens a file that is to be read completely: if regular is true, a regular file and
// no link to one, else a regular file or a pipe.
func openForReading(path string, regular bool) (fd int, pipe bool, problem string) {
	flags := syscall.O_RDONLY
	if regular {
		flags |= noFollow
	}
	var st syscall.Stat_t
	fd, e := OpenFD(path, flags, &st)
	if e != 0 {
		return -1, false, e.Error()
	}
	pipe = isKind(&st, syscall.S_IFIFO)
	if !isKind(&st, syscall.S_IFREG) && (regular || !pipe) {
		syscall.Close(fd)
		return -1, false, "not a regular file"
	}
	return fd, pipe, ""
}

// readHead reads the beginning of a file into b and returns the number of bytes, 0 if it cannot be
// read.
func readHead(path string, flags int, b []byte) int {
	fd, e := open(path, syscall.O_RDONLY|flags)
	if e != 0 {
		return 0
	}
	n, _ := syscall.Read(fd, b)
	syscall.Close(fd)
	return max(n, 0)
}

// Absolute returns path made independent of later changes of the working directory.
func Absolute(path string) string {
	if path == "" || path[0] == '/' {
		return path
	}
	wd, err := syscall.Getwd()
	if err != nil {
		return path
	}
	return wd + "/" + path
}
