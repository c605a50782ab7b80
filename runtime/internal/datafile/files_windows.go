package datafile

import "syscall"

// handle is the system's handle of an open file.
type handle = syscall.Handle

func open(path string, flags int) (fd handle, e syscall.Errno) {
	fd, err := syscall.Open(path, flags|syscall.O_CLOEXEC, 0o600)
	return fd, errno(err)
}

// openForReading opens a regular file to be read completely.
func openForReading(path string, regular bool) (fd handle, pipe bool, problem string) {
	fd, e := open(path, syscall.O_RDONLY)
	if e != 0 {
		return fd, false, e.Error()
	}
	if kind, err := syscall.GetFileType(fd); err != nil || kind != syscall.FILE_TYPE_DISK {
		syscall.CloseHandle(fd)
		return fd, false, "not a regular file"
	}
	return fd, false, ""
}

// writeInPlace does nothing: every file is replaced.
func writeInPlace(path string, b []byte) (done bool, problem string) { return false, "" }

// rename replaces an existing file, which MoveFile alone refuses to do.
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

// Absolute returns path made independent of later changes of the working directory.
func Absolute(path string) string {
	if full, err := syscall.FullPath(path); err == nil {
		return full
	}
	return path
}
