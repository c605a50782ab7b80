//go:build !plan9

package datafile

import (
	"runtime"
	"syscall"
	_ "unsafe" // for go:linkname
)

// pipePatience is the time without progress after which a pipe is given up, in ns.
const pipePatience = 2e9

// nanotime returns the runtime's monotonic clock in ns; see runtime/time_nofake.go.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

// ReadAll reads a file that MARKGEN names, which may be a link, or a pipe with a writer, up to 64
// MiB: more than all markers of any program need.
func ReadAll(path string) (text []byte, problem string) { return readAtMost(64<<20, path, false) }

// NoFile reports whether problem says that a file does not exist. On Windows its directory may be
// missing, too.
func NoFile(problem string) bool {
	return problem == syscall.ENOENT.Error() || runtime.GOOS == "windows" && problem == syscall.ENOTDIR.Error()
}

// readAtMost reads a file of at most most bytes: if regular is true, a regular file and no link to
// one, else a regular file, or a pipe, whose writer it gives up after pipePatience without
// progress.
func readAtMost(most int, path string, regular bool) (text []byte, problem string) {
	fd, pipe, problem := openForReading(path, regular)
	if problem != "" {
		return nil, problem
	}
	since := nanotime()
	for {
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		n, err := syscall.Read(fd, text[len(text):cap(text)])
		switch e := errno(err); {
		case e == syscall.EINTR:
			continue
		case pipe && (e == syscall.EAGAIN || n == 0 && len(text) == 0): // nothing was written yet
			if nanotime()-since < pipePatience {
				runtime.Gosched()
				continue
			}
			problem = "nobody writes to it"
		case e != 0:
			problem = e.Error()
		case n > 0 && len(text)+n <= most:
			text = text[:len(text)+n]
			since = nanotime()
			continue
		case n > 0:
			problem = "it is too long"
		}
		syscall.Close(fd)
		return text, problem
	}
}
