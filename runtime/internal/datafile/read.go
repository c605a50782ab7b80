//go:build !plan9

package datafile

import (
	"runtime"
	"syscall"
	_ "unsafe" // for go:linkname
)

// pipePatience is how long the other end of a pipe may do nothing, ns.
const pipePatience = 2e9

// nanotime is the runtime's monotonic clock, ns; see runtime/time_nofake.go.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

// ReadAll reads a file that MARKGEN names, which may be a link, or a pipe that somebody writes to.
// Of 64 MiB at most: that is more than all markers of any program come to.
func ReadAll(path string) (text []byte, trouble string) { return readAtMost(64<<20, path, false) }

// NoFile says whether that is the trouble with a file: there is none. On Windows a directory may be
// missing as well.
func NoFile(trouble string) bool {
	return trouble == syscall.ENOENT.Error() || runtime.GOOS == "windows" && trouble == syscall.ENOTDIR.Error()
}

// readAtMost reads a file of at most that many bytes: a regular one and no link to one, or else one
// that may be a pipe, for whose other end it waits, for pipePatience.
func readAtMost(most int, path string, regular bool) (text []byte, trouble string) {
	fd, pipe, trouble := openWhole(path, regular)
	if trouble != "" {
		return nil, trouble
	}
	since := nanotime()
	for {
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		n, err := syscall.Read(fd, text[len(text):cap(text)])
		switch {
		case err == syscall.EINTR:
			continue
		case pipe && (err == syscall.EAGAIN || n == 0 && len(text) == 0): // nobody has written yet
			if nanotime()-since < pipePatience {
				runtime.Gosched()
				continue
			}
			trouble = "nobody writes to it"
		case err != nil:
			trouble = err.Error()
		case n > 0 && len(text)+n <= most:
			text = text[:len(text)+n]
			since = nanotime()
			continue
		case n > 0:
			trouble = "it is too long"
		}
		syscall.Close(fd)
		return text, trouble
	}
}
