//go:build !markgen_off && !plan9

package perf

import (
	"runtime"
	"syscall"
)

// pipePatience is how long the other end of a pipe may do nothing, ns.
const pipePatience = 2e9

// readAll reads a file that MARKGEN names, or one in a spool. It waits for the other end of a pipe, for pipePatience.
func readAll(path string, spooled bool) (text []byte, trouble string) {
	most := mostListed
	if spooled {
		most = mostHeld
	}
	fd, pipe, trouble := openListed(path, spooled)
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
